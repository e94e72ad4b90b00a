/** A finding of `postern doctor` about one thing. */
export interface Finding {
  what: string;
  state: 'good' | 'note' | 'bad';
  says: string;
}
