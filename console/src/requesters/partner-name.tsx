/** The name of a partner or bot, looked up by id. */
import { useRead } from '../api/read.ts';
import { RequesterLink } from '../parts/show.tsx';

export function PartnerName({ id }: { id: string }) {
  const partner = useRead('GET /v1/requesters/{id}', { path: { id } });
  const name = partner.data?.name ?? id;
  return (
    <>
      <RequesterLink id={id} name={name} />
      {name !== id && <span className="under">{id}</span>}
    </>
  );
}
