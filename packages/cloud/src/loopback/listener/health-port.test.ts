import { once } from "node:events"
import { connect } from "node:net"
import { duplexPair } from "node:stream"
import { VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { Targets } from "../targets/targets.ts"
import { HealthPort, openHealthPort } from "./health-port.ts"

function checks() {
  const clock = new VirtualClock()
  const port = new HealthPort({ service: "default/web", targets: new Targets(clock), clock })
  const accept = () => {
    const [client, server] = duplexPair({ allowHalfOpen: true })
    port.accept(server)
    return { client, server }
  }
  return { clock, port, accept }
}

test("a connection that asked nothing was kept for ever", async () => {
  const { clock, accept } = checks()
  const { server } = accept()
  await clock.advance(9000)
  expect(server.destroyed).toBe(false)
  await clock.advance(2000)
  expect(server.destroyed).toBe(true)
})

test("an answer ends the wait", async () => {
  const { clock, accept } = checks()
  const { client, server } = accept()
  const over = once(server, "close")
  client.end("GET / HTTP/1.1\r\n\r\n")
  expect(String((await once(client, "data"))[0])).toContain("503 Service Unavailable")
  await over
  expect(clock.waiting()).toEqual([])
})

test("connections stayed open when their port went", async () => {
  const { port, accept } = checks()
  const open = [accept(), accept()]
  port.cut()
  expect(open.map(({ server }) => server.destroyed)).toEqual([true, true])
})

test("a port that is closed cuts its connections", async () => {
  const clock = new VirtualClock()
  const port = await openHealthPort(0, { address: "127.0.0.1", service: "default/web", targets: new Targets(clock), clock })
  const socket = connect(port.bound, "127.0.0.1").on("error", () => {})
  const over = new Promise((resolve) => socket.once("close", resolve))
  await once(socket, "connect")
  await port.close()
  await over
})
