/** Bare node:http that parses a body as JSON and answers a constant of ANSWER_BYTES: the floor the platform sets. */
import { createServer } from 'node:http';

const answer = Buffer.alloc(Number(process.env.ANSWER_BYTES ?? 500), 'x');
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    if (request.method === 'POST') JSON.parse(Buffer.concat(chunks).toString());
    response.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': answer.length });
    response.end(answer);
  });
});
server.listen(Number(process.env.PORT), '127.0.0.1');
process.once('SIGTERM', () => process.exit(0));
