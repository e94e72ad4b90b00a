/** A field for a date says what it is in itself: browsers show no placeholder there. */
export const dateField = (label: string) => ({
  leftSection: (
    <span className="field-name" aria-hidden="true">
      {label}
    </span>
  ),
  leftSectionWidth: 52,
});
