/** Ids in an address may hold any character; the router returns some still encoded. */
import { useParams } from 'wouter';

export const useId = (): string => useParam('id');

export function useParam(name: string): string {
  const { [name]: text = '' } = useParams();
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
