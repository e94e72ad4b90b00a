/** Ids in an address: they may carry any character, and the router gives some of them back as they were encoded. */
import { useParams } from 'wouter';

export function useId(): string {
  const { id = '' } = useParams<{ id: string }>();
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
