// HTTP and UDP on one port of $HOST. On SIGTERM it drains: it takes no new connection, answers what it has, and ends when its clients have gone.
import { createSocket } from "node:dgram"
import { createServer } from "node:http"
import { createServer as createListener } from "node:net"

const { HOST = "127.0.0.1", PORT = "8080", HOSTNAME = "draining-server" } = process.env
/** Milliseconds that clients have which keep a connection open without a word. */
const patience = 5000
/** Milliseconds for datagrams that are on their way: nothing says when the last has arrived. */
const lastDatagrams = 300
let draining = false

const http = createServer((request, response) => {
  // The client's next request takes a new connection, and so another server.
  if (draining) response.setHeader("connection", "close")
  response.end(`${HOSTNAME} ${request.url}\n`)
})
// Longer than any client's: when both sides close at once, the client cannot know whether its last request was read.
http.keepAliveTimeout = 60_000

// A listener of its own: http.close() would also cut idle connections, and with them a request that is just coming.
const listener = createListener({ allowHalfOpen: true, noDelay: true }, (socket) => http.emit("connection", socket))

const udp = createSocket("udp4")
udp.on("message", (message, { port, address }) => udp.send(`${HOSTNAME} ${message}`, port, address))

// The probe asks HTTP: it is opened last, so that ready means both.
udp.bind(Number(PORT), HOST, () => listener.listen(Number(PORT), HOST, () => console.log(`listening on ${HOST}:${PORT}`)))

process.on("SIGTERM", () => {
  draining = true
  console.log("draining")
  listener.close(() => setTimeout(() => process.exit(0), lastDatagrams))
  setTimeout(() => process.exit(0), patience)
})
