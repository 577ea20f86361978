// A gRPC server that answers with the name of its pod. Messages are plain text, so that there is nothing to generate.
import * as grpc from "@grpc/grpc-js"

const { HOST = "127.0.0.1", HOSTNAME = "unknown" } = process.env
const text = { serialize: (value) => Buffer.from(value), deserialize: (bytes) => bytes.toString() }
const codec = {
  requestSerialize: text.serialize,
  requestDeserialize: text.deserialize,
  responseSerialize: text.serialize,
  responseDeserialize: text.deserialize,
}

const server = new grpc.Server()
server.addService(
  { Who: { path: "/example.Who/Who", requestStream: false, responseStream: false, ...codec } },
  { Who: (_call, answer) => answer(null, HOSTNAME) },
)
server.bindAsync(`${HOST}:9090`, grpc.ServerCredentials.createInsecure(), (error) => {
  if (error !== null) throw error
})

// Clients learn by xDS that it stops, each at another moment: it serves requests for a second more.
process.on("SIGTERM", () => setTimeout(() => server.tryShutdown(() => process.exit(0)), 1_000))
