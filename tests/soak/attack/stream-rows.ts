import type { TLSSocket } from "node:tls"
import { flood } from "./http2-frames.ts"
import { peakGrowth, watchResident } from "./resident.ts"
import type { Attempt, Row } from "./row.ts"
import { serviceAccountToken } from "./service-account.ts"
import { isTrueWithin, pause } from "./waiting.ts"
import { upgraded, webSocketFrame } from "./web-socket.ts"

const pods = "/api/v1/namespaces/default/pods"
const channels = "v4.channel.k8s.io"

/** Creates a process pod and waits until it runs. */
async function runningPod({ admin, expectStatus, expect }: Attempt, name: string): Promise<void> {
  const containers = [{ name: "c", image: "process", command: ["sleep", "600"] }]
  expectStatus(`the pod ${name}`, await admin.create(pods, { metadata: { name }, spec: { containers } }), 201)
  const isRunning = async () => JSON.parse((await admin.send({ path: `${pods}/${name}` })).text).status?.phase === "Running"
  expect(await isTrueWithin(isRunning, 20_000), `the pod ${name} to run`, "that it does not")
}

/** Sends pieces until the server reads no more of them for a second, or enough were sent. */
async function sendUntilFull(socket: TLSSocket, pieces: Buffer, max: number): Promise<void> {
  for (let sent = 0; sent < max && socket.writable; sent += pieces.length) {
    const isTaken = await isTrueWithin(() => socket.writableLength < 4 * pieces.length, 1000)
    if (!isTaken) return
    await Promise.race([flood(socket, pieces), pause(1000)])
  }
}

const small = Buffer.from("\0a")
/** What no client of a WebSocket sends: each ends its connection. */
const broken: readonly (readonly [name: string, bytes: Buffer])[] = [
  ["a frame without a mask", webSocketFrame(small, { masked: false })],
  ["a frame of 2^62 bytes", webSocketFrame(small, { length: 2 ** 62 })],
  ["a frame of 16 MB", webSocketFrame(small, { length: 2 ** 24 })],
  ["reserved bits", webSocketFrame(small, { reserved: 7 })],
  ["an unknown opcode", webSocketFrame(small, { opcode: 11 })],
  ["a continuation of nothing", webSocketFrame(small, { opcode: 0 })],
  ["a ping of 200 bytes", webSocketFrame(Buffer.alloc(200), { opcode: 9 })],
  ["a close with half a code", webSocketFrame(Buffer.alloc(1), { opcode: 8 })],
  [
    "a message in a million pieces",
    Buffer.concat([
      webSocketFrame(small, { fin: false }),
      ...Array.from({ length: 200_000 }, () => webSocketFrame(Buffer.alloc(8), { fin: false, opcode: 0 })),
    ]),
  ],
]

/** Frames that lie, and bytes that are none: of WebSockets, and of SPDY. */
async function brokenFrames(attempt: Attempt): Promise<void> {
  const { expect, expectTurns, target } = attempt
  const token = await serviceAccountToken(attempt, "edit")
  await runningPod(attempt, "shell")
  const before = target.descriptors
  const exec = `${pods}/shell/exec?command=cat&stdin=true&stdout=true`
  for (const [name, bytes] of broken) {
    const socket = await upgraded(attempt, exec, { token, protocol: channels })
    expect(socket !== undefined, `exec before ${name}`, "a refusal")
    if (socket === undefined) continue
    socket.resume()
    await Promise.race([flood(socket, bytes), pause(5000)])
    expect(await isTrueWithin(() => socket.closed, 5000), `${name} to end its connection`, "that it is open")
    await expectTurns(name)
  }
  const control = (type: number, length: number, payload = Buffer.alloc(0)) => {
    const head = Buffer.from([0x80, 3, 0, type, 0, 0, 0, 0])
    head.writeUIntBE(length, 5, 3)
    return Buffer.concat([head, payload])
  }
  const spdy: readonly (readonly [string, Buffer])[] = [
    ["a control frame of 16 MB", control(1, 2 ** 24 - 1)],
    ["headers that are no zlib", control(1, 110, Buffer.alloc(110, 1))],
    ["another version", Buffer.from([0x80, 2, 0, 1, 0, 0, 0, 10, ...Buffer.alloc(10)])],
    ["HTTP", Buffer.from("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")],
  ]
  for (const [name, bytes] of spdy) {
    const socket = await upgraded(attempt, exec, { token, protocol: channels, upgrade: "SPDY/3.1" })
    expect(socket !== undefined, `exec over SPDY before ${name}`, "a refusal")
    if (socket === undefined) continue
    socket.resume()
    socket.write(bytes)
    // Its streams must come within 30 seconds.
    expect(await isTrueWithin(() => socket.closed, 40_000), `${name} to end its connection`, "that it is open")
    await expectTurns(name)
  }
  const ended = await isTrueWithin(() => target.descriptors <= before, 10_000)
  expect(ended, "every command of a broken connection to end", `${target.descriptors - before} more descriptors`)
}

/** Frames of a few bytes, each of them allowed: thousands are in what is read of a connection at once. */
const tiny: readonly (readonly [name: string, upgrade: string, frame: Buffer])[] = [
  ["pings of a WebSocket", "websocket", webSocketFrame(Buffer.alloc(0), { opcode: 9 })],
  ["empty messages", "websocket", webSocketFrame(Buffer.alloc(0))],
  ["messages of a channel that is none", "websocket", webSocketFrame(Buffer.of(77, 1))],
  ["pings of SPDY", "SPDY/3.1", Buffer.from([0x80, 3, 0, 6, 0, 0, 0, 4, 0, 0, 0, 1])],
  ["empty frames of a SPDY stream that is none", "SPDY/3.1", Buffer.from([0, 0, 0, 99, 0, 0, 0, 0])],
]

async function frameFloods(attempt: Attempt): Promise<void> {
  const { expect, expectTurns, anonymous } = attempt
  const token = await serviceAccountToken(attempt, "edit")
  await runningPod(attempt, "shell")
  const exec = `${pods}/shell/exec?command=cat&stdin=true&stdout=true`
  for (const [name, upgrade, frame] of tiny) {
    const sockets = await Promise.all(Array.from({ length: 20 }, () => upgraded(attempt, exec, { token, protocol: channels, upgrade })))
    const open = sockets.filter((socket) => socket !== undefined)
    expect(open.length === 20, `20 connections for ${name}`, open.length)
    const burst = Buffer.concat(Array.from({ length: 10_000 }, () => frame))
    for (const socket of open) socket.resume()
    await Promise.all(open.map((socket) => sendUntilFull(socket, burst, 200_000)))
    await expectTurns(name)
    anonymous.leave()
    await pause(500)
  }
}

/** Commands that print without end to clients that read nothing: what they print waits in the command. */
async function unreadOutput(attempt: Attempt): Promise<void> {
  const { expect, expectTurns, anonymous, target } = attempt
  const token = await serviceAccountToken(attempt, "edit")
  await runningPod(attempt, "yes")
  const before = target.descriptors
  const stop = watchResident(attempt)
  const path = `${pods}/yes/exec?command=yes&stdout=true&stderr=true`
  for (let count = 0; count < 30; count++) {
    const socket = await upgraded(attempt, path, { token, protocol: channels })
    expect(socket !== undefined, "a command that prints", "a refusal")
    socket?.pause()
  }
  await pause(5000)
  await expectTurns("30 commands that print")
  const grown = stop()
  expect(grown < peakGrowth, `the process to grow by less than ${peakGrowth} MB`, `${grown.toFixed(0)} MB`)
  anonymous.leave()
  const ended = await isTrueWithin(() => target.descriptors <= before, 20_000)
  expect(ended, "the commands to end with their clients", `${target.descriptors - before} more descriptors`)
}

/** Input of one byte in each message for programs that read nothing. */
async function unreadInput(attempt: Attempt): Promise<void> {
  const { expect, expectTurns, anonymous, target } = attempt
  const token = await serviceAccountToken(attempt, "edit")
  await runningPod(attempt, "deaf")
  const exec = `${pods}/deaf/exec?command=sleep&command=600&stdin=true&stdout=true`
  for (const [name, protocol, message] of [
    ["messages of a byte", channels, Buffer.from("\0a")],
    ["messages of a byte in base64", "v4.base64.channel.k8s.io", Buffer.from("0YQ==")],
  ] as const) {
    const before = target.descriptors
    const stop = watchResident(attempt)
    const connect = () => upgraded(attempt, exec, { token, protocol })
    const open = (await Promise.all(Array.from({ length: 120 }, connect))).filter((socket) => socket !== undefined)
    expect(open.length === 120, `120 connections for ${name}`, open.length)
    const burst = Buffer.concat(Array.from({ length: 20_000 }, () => webSocketFrame(message)))
    for (const socket of open) socket.resume()
    await Promise.all(open.map((socket) => sendUntilFull(socket, burst, 2_000_000)))
    await expectTurns(name)
    const grown = stop()
    expect(grown < peakGrowth, `the process to grow by less than ${peakGrowth} MB with ${name}`, `${grown.toFixed(0)} MB`)
    anonymous.leave()
    const ended = await isTrueWithin(() => target.descriptors <= before + 4, 60_000)
    expect(ended, `the commands of ${name} to end with their clients`, `${target.descriptors - before} more descriptors`)
  }
}

/** A pod whose status says that it has another address: that of a port of this machine, of its network, or of a service of its cloud. */
async function forgedAddresses(attempt: Attempt): Promise<void> {
  const { admin, expect, expectStatus, expectTurns, anonymous, up } = attempt
  const token = await serviceAccountToken(attempt, "edit")
  await runningPod(attempt, "forged")
  for (const podIP of [
    "127.0.0.1",
    "127.60.0.1",
    "0.0.0.0",
    "169.254.169.254",
    "::1",
    "::ffff:127.0.0.1",
    "224.0.0.1",
    "localhost",
    "127.1",
  ]) {
    const headers = { "content-type": "application/merge-patch+json" }
    const body = { status: { podIP, podIPs: [{ ip: podIP }], hostIP: podIP } }
    const patched = await admin.send({ method: "PATCH", path: `${pods}/forged/status`, headers, body })
    expectStatus(`the status of ${podIP}`, patched, 200, 422)
    for (const port of [up.port, new URL(up.facts.discoveryDebug).port]) {
      const socket = await upgraded(attempt, `${pods}/forged/portforward?ports=${port}`, { token, protocol: channels })
      if (socket === undefined) continue
      let answer = ""
      socket.on("data", (chunk: Buffer) => (answer += chunk.toString("latin1")))
      socket.write(webSocketFrame(Buffer.from("\0GET /version HTTP/1.0\r\nHost: localhost\r\n\r\n")))
      await isTrueWithin(() => socket.closed || /HTTP\/1|error forwarding/.test(answer), 3000)
      expect(!/HTTP\/1\.[01] \d/.test(answer), `no answer of port ${port} by ${podIP}`, answer.slice(-200))
      socket.destroy()
    }
    const proxied = await admin.send({ path: `${pods}/https:forged:${up.port}/proxy/version` })
    expect(
      proxied.status >= 400 && !proxied.text.includes("gitVersion"),
      `no answer through the proxy by ${podIP}`,
      proxied.text.slice(0, 200),
    )
    await expectTurns(podIP)
  }
  anonymous.leave()
}

const flags = ["--ephemeral", "--exec"]

/** What a user with rights on exec and port-forward sends on its streams, and does not read of them. */
export const streamRows: readonly Row[] = [
  { number: 66, name: "output of streams that no client reads", server: "up", flags, descriptors: 4, attempt: unreadOutput },
  { number: 67, name: "floods of frames of streams", server: "up", flags, descriptors: 4, release: 130, attempt: frameFloods },
  { number: 69, name: "port-forward to addresses that a status says", server: "up", flags, descriptors: 4, attempt: forgedAddresses },
  { number: 68, name: "input that no program reads", server: "up", flags, descriptors: 4, release: 130, attempt: unreadInput },
  { number: 67, name: "frames of streams that lie", server: "up", flags, descriptors: 4, isLong: true, attempt: brokenFrames },
]
