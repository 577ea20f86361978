// A process that answers every byte with 64 KiB: node endpoint.ts → prints its port.
import { type AddressInfo, createServer } from "node:net"
import { chunkSize } from "./throughput.ts"

const chunk = Buffer.alloc(chunkSize, "x")

const server = createServer({ noDelay: true }, (socket) => {
  socket.on("error", () => socket.destroy())
  socket.on("data", ({ length }) => {
    for (let request = 0; request < length && !socket.destroyed; request++) socket.write(chunk)
  })
})

server.listen({ port: 0, host: "127.0.0.1", backlog: 4096 }, () => console.log((server.address() as AddressInfo).port))
