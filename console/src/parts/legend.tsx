/** The colors of a chart of decisions; its summary says the same to a screen reader. */
export function Legend() {
  return (
    <div className="legend" aria-hidden="true">
      <span>
        <i className="dot allowed" /> Allowed
      </span>
      <span>
        <i className="dot denied" /> Denied
      </span>
    </div>
  );
}
