// A pod that is a process: HTTP, plain TCP and gRPC at $HOST, each answers with the pod's name. On SIGTERM it takes what comes for a while, since
// clients learn of it by xDS and not at the same moment, then it ends each protocol as that protocol has it.
import { createServer } from "node:http"
import { createServer as createTcp } from "node:net"
import * as grpc from "@grpc/grpc-js"
import { ports } from "./pod-ports.ts"

const { HOST = "127.0.0.1", HOSTNAME = "pod" } = process.env
/** Milliseconds after SIGTERM in which new connections are taken. */
const lameDuck = 1_000
/** Milliseconds that clients have then to end what they began. */
const patience = 2_000
let draining = false

const http = createServer((_request, response) => {
  if (draining) response.setHeader("connection", "close")
  response.end(HOSTNAME)
})
http.keepAliveTimeout = 60_000

const tcp = createTcp((socket) => {
  socket.on("error", () => socket.destroy())
  socket.end(HOSTNAME)
})

const rpc = new grpc.Server()
const asIs = (bytes: Buffer) => bytes
const codec = { requestSerialize: asIs, requestDeserialize: asIs, responseSerialize: asIs, responseDeserialize: asIs }
rpc.addService(
  { Who: { path: "/test.Who/Who", requestStream: false, responseStream: false, ...codec } },
  { Who: (_call: unknown, answer: (error: null, value: Buffer) => void) => answer(null, Buffer.from(HOSTNAME)) },
)

// The probe asks HTTP: it is opened last, so that ready means all three.
rpc.bindAsync(`${HOST}:${ports.grpc}`, grpc.ServerCredentials.createInsecure(), () =>
  tcp.listen(ports.tcp, HOST, () => http.listen(ports.http, HOST, () => console.log(`listening on ${HOST}`))),
)

process.on("SIGTERM", () => {
  draining = true
  setTimeout(() => {
    rpc.tryShutdown(() => undefined)
    setTimeout(() => process.exit(0), patience)
  }, lameDuck)
})
