/** Fills columns and kills its own process when `behind` has come down to argv[4]: the file is left as it was then. */
import { openColumns } from '../../../src/decisions/history/columns/columns.ts';

const [records = '', columnsFile = '', behind = '', clickHouse = ''] = process.argv.slice(2);
const columns = openColumns({ records, columnsFile, clickHouse: clickHouse === '' ? null : clickHouse });
setInterval(() => {
  const figures = columns.figures();
  if (figures.sizeBytes > 0 && figures.behind <= Number(behind)) process.kill(process.pid, 'SIGKILL');
}, 1);
