import { type Pod, pods } from "@pilothouse/api/core/v1"
import type { Client } from "@pilothouse/runtime"
import { type Cluster, cluster } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"
import { answering, simulatedPodDialer } from "./pod-dialer.ts"

const web: Pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", namespace: "default" },
  spec: { nodeName: "node-1", containers: [{ name: "web", image: "web" }] },
}

function answers(...pieces: readonly string[]): string {
  const talk = answering(web)
  return pieces.map((piece) => Buffer.from(talk.take(Buffer.from(piece)).send).toString()).join("")
}

describe("a simulated pod", () => {
  test("answers HTTP with who it is", () => {
    expect(answers("GET /hello?x=1 HTTP/1.1\r\nHost: a\r\n\r\n")).toBe(
      "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 58\r\nConnection: keep-alive\r\n\r\npod web\nnamespace default\nnode node-1\npath /hello?x=1\n".replace(
        "58",
        String("pod web\nnamespace default\nnode node-1\npath /hello?x=1\n".length),
      ),
    )
  })

  test.each([
    ["cut anywhere", ["G", "ET / HT", "TP/1.1\r\nHost", ": a\r\n\r", "\n"], 1],
    ["two at once", ["GET / HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\n\r\n"], 2],
    ["with a body", ["POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\nab", "cdGET / HTTP/1.1\r\n\r\n"], 2],
    ["not whole yet", ["GET / HTTP/1.1\r\nHost: a\r\n"], 0],
  ])("requests %s", (_name, pieces, count) => {
    expect(answers(...pieces).match(/HTTP\/1\.1 200 OK/g) ?? []).toHaveLength(count)
  })

  test("ends the connection when it is asked to", () => {
    expect(answering(web).take(Buffer.from("GET / HTTP/1.1\r\nConnection: close\r\n\r\n")).end).toBe(true)
    expect(answering(web).take(Buffer.from("GET / HTTP/1.0\r\n\r\n")).end).toBe(true)
  })

  test("says nothing more than the head to who asks for that", () => {
    const answer = answers("HEAD / HTTP/1.1\r\n\r\n")
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(answer.endsWith("\r\n\r\n")).toBe(true)
  })

  test("refuses what only begins like HTTP, and ends", () => {
    expect(answers("GET nowhere\r\n\r\n")).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
    expect(answering(web).take(Buffer.from("GET nowhere\r\n\r\n")).end).toBe(true)
  })

  test("sends back what is no HTTP", () => {
    expect(answers("PI", "NG\r\n", "x")).toBe("PING\r\nx")
    expect(answers("P", "ING")).toBe("PING")
  })
})

async function start(): Promise<{ running: Cluster; address: string }> {
  const running = await cluster({ controllers: [] })
  await running.apply({ ...web, spec: { containers: web.spec!.containers } })
  await running.settled()
  return { running, address: (await running.client.get(pods, "default/web")).status?.podIP ?? "" }
}

test("a connection to a running pod is answered in this process", async () => {
  const { running, address } = await start()
  await using _running = running
  const connection = await simulatedPodDialer({ client: () => running.client }).dial(address, 80, new AbortController().signal)
  connection.write("hello")
  const [first] = (await Array.fromAsync(connection.take(1))) as Buffer[]
  expect(first?.toString()).toBe("hello")
})

const refused = () => expect.fail("something listens there")

test("datagrams come back", async () => {
  const { running, address } = await start()
  await using _running = running
  const received = Promise.withResolvers<Uint8Array>()
  const flow = simulatedPodDialer({ client: () => running.client }).open(address, 53, { receive: received.resolve, refused })
  flow.send(Buffer.from("ping"))
  expect(Buffer.from(await received.promise).toString()).toBe("ping")
  flow.close()
})

test("pods were listed for every datagram", async () => {
  const { running, address } = await start()
  await using _running = running
  let asked = 0
  const client = () => {
    asked++
    return running.client
  }
  const received: string[] = []
  const all = Promise.withResolvers<void>()
  const flow = simulatedPodDialer({ client }).open(address, 53, {
    receive: (message) => {
      if (received.push(Buffer.from(message).toString()) === 3) all.resolve()
    },
    refused,
  })
  for (const word of ["a", "b", "c"]) flow.send(Buffer.from(word))
  await all.promise
  flow.close()
  flow.send(Buffer.from("d"))
  await running.settled()
  expect([received, asked]).toEqual([["a", "b", "c"], 1])
})

test("an aborted dial does not wait for the answer", async () => {
  const stop = new AbortController()
  const client = { list: () => new Promise<never>(() => {}) } as unknown as Client
  const dialled = simulatedPodDialer({ client: () => client }).dial("10.244.1.1", 80, stop.signal)
  stop.abort()
  await expect(dialled).rejects.toMatchObject({ code: "ABORTED" })
})

test("nothing listens where no pod runs", async () => {
  const { running } = await start()
  await using _running = running
  const dialer = simulatedPodDialer({ client: () => running.client })
  const lost = Promise.withResolvers<void>()
  const flow = dialer.open("10.244.1.99", 53, { receive: () => expect.fail("no answer comes"), refused: lost.resolve })
  flow.send(Buffer.from("ping"))
  await lost.promise
  flow.close()
  await expect(dialer.dial("10.244.1.99", 80, new AbortController().signal)).rejects.toThrow("nothing listens at 10.244.1.99:80")
})

test("addresses of this host are left to who can dial them", async () => {
  const asked: string[] = []
  const real = {
    dial: async (address: string) => {
      asked.push(address)
      throw new Error("refused")
    },
    open: () => ({ send() {}, close() {} }),
  }
  const dialer = simulatedPodDialer({ client: () => expect.fail("no client is needed"), real })
  await expect(dialer.dial("127.0.1.2", 80, new AbortController().signal)).rejects.toThrow("refused")
  expect(asked).toEqual(["127.0.1.2"])
})

test("of several pods on their node's address the one answers that has the port; one that has finished does not", async () => {
  await using running = await cluster({ controllers: [] })
  const onNode = (name: string, containerPort: number, command?: readonly string[]): Pod => ({
    ...web,
    metadata: { name, namespace: "default" },
    spec: { hostNetwork: true, restartPolicy: "Never", containers: [{ name: "a", image: "a", command, ports: [{ containerPort }] }] },
  })
  await running.apply(onNode("done", 90, ["true"]))
  await running.apply(onNode("one", 80))
  await running.apply(onNode("two", 90))
  await running.settled()
  const { hostIP = "" } = (await running.client.get(pods, "default/one")).status ?? {}
  const whoAt = async (port: number) => {
    const connection = await simulatedPodDialer({ client: () => running.client }).dial(hostIP, port, new AbortController().signal)
    connection.write("GET / HTTP/1.0\r\n\r\n")
    return /pod (\w+)/.exec(Buffer.concat((await Array.fromAsync(connection)) as Buffer[]).toString())?.[1]
  }
  expect([await whoAt(80), await whoAt(90)]).toEqual(["one", "two"])
})

test.each([
  ["another program of this host listens", "127.0.0.1", true],
  ["its process has ended", "127.116.1.1", false],
  ["no pod is", "127.116.1.9", true],
])("a port of a pod whose status names an address where %s is not forwarded", async (_, address, isLive) => {
  const asked: string[] = []
  const real = {
    dial: async (to: string) => {
      asked.push(to)
      throw new Error("refused")
    },
    open: () => ({ send() {}, close() {} }),
  }
  const list = async (_of: unknown, { fieldSelector }: { readonly fieldSelector: string }) => ({
    items: fieldSelector === "status.podIP=127.116.1.9" ? [] : [web],
  })
  const client = { list } as unknown as Client
  const processes = { oneAddress: false, running: () => (isLive ? ({} as never) : undefined) }
  const dialer = simulatedPodDialer({ client: () => client, real, processes })
  const { signal } = new AbortController()
  await expect(dialer.dial(address, 2379, signal)).rejects.toThrow(
    `dial tcp ${address}:2379: address not allowed: it is of no pod that is a process`,
  )
  expect(asked).toEqual([])
  if (isLive) await expect(dialer.dial("127.116.1.1", 80, signal)).rejects.toThrow("refused")
})
