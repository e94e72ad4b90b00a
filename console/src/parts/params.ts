/** Ids in an address may hold any character; the router returns some still encoded. */
import { useParams } from 'wouter';

export function useId(): string {
  const { id } = useParams<{ id: string }>();
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
