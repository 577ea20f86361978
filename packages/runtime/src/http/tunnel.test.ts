import { describe, expect, test } from "vitest"
import { get, testConnections, textOf } from "./testing/connections.ts"
import { testListener } from "./testing/listener.ts"
import { testServer } from "./testing/server.ts"

const { started, connected, opened } = testConnections()

describe("a proxy", () => {
  test("tunnels to the server, with user and password", async () => {
    const server = await started((_, response) => response.end("{}"))
    const proxy = await tunnelling(200)
    const transport = connected({ server: server.url, proxy: `http://jane:s%40cret@127.0.0.1:${proxy.port}` })
    expect(await textOf(transport, get)).toBe("{}")
    expect(proxy.heads[0]).toContain(`CONNECT 127.0.0.1:${server.port} HTTP/1.1`)
    expect(proxy.heads[0]).toContain(`proxy-authorization: Basic ${Buffer.from("jane:s@cret").toString("base64")}`)
  })

  test("that refuses is named", async () => {
    const server = await started((_, response) => response.end("{}"))
    const proxy = await tunnelling(407)
    await expect(connected({ server: server.url, proxy: `http://127.0.0.1:${proxy.port}` })(get)).rejects.toMatchObject({
      message: expect.stringContaining(
        `the proxy 127.0.0.1:${proxy.port} answered 407 when asked for a tunnel to 127.0.0.1:${server.port}; check the proxy's address, and user and password in it`,
      ),
    })
  })

  test("that is not there is named first, and nothing is said of the server", async () => {
    const gone = await testServer(() => {})
    await gone.close()
    const server = await started((_, response) => response.end("{}"))
    await expect(connected({ server: server.url, proxy: `http://127.0.0.1:${gone.port}` })(get)).rejects.toMatchObject({
      message:
        `GET ${server.url}/api/v1/pods failed: the proxy 127.0.0.1:${gone.port} could not be used; check its address: ` +
        `connect ECONNREFUSED 127.0.0.1:${gone.port}`,
      retryable: true,
    })
  })
})

/** A proxy that answers CONNECT with a status, and tunnels if it is 200. */
async function tunnelling(status: number): Promise<{ port: number; heads: readonly string[] }> {
  const heads: string[] = []
  const listener = await testListener((client, connect) => {
    client.once("data", (data) => {
      const head = data.toString()
      heads.push(head)
      const target = Number(/CONNECT 127\.0\.0\.1:(\d+)/.exec(head)?.[1])
      client.write(`HTTP/1.1 ${status} Whatever\r\n\r\n`)
      if (status !== 200) return
      const server = connect(target)
      client.pipe(server)
      server.pipe(client)
    })
  })
  opened(listener)
  return { port: listener.port, heads }
}
