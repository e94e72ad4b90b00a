/** The name of a policy as a link; its id while the name is unknown. */
import { Link } from 'wouter';
import { usePolicyChoices } from './names.ts';

export function PolicyLink({ id }: { id: string }) {
  const name = usePolicyChoices().find(({ value }) => value === id)?.label;
  return <Link href={`/policies/${id}`}>{name ?? id}</Link>;
}
