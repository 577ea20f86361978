import { Readable } from "node:stream"
import { finished } from "node:stream/promises"
import { expect, test } from "vitest"
import type { SpawnStreams } from "../process/system/spawn.ts"
import { connectChannels } from "./testing/channel-client.ts"
import { connectSpdy } from "./testing/spdy-client.ts"
import { type ServedPod, servePod } from "./testing/stream-server.ts"

const [stdout, stderr, errors] = [1, 2, 3]

/** The environment in the tests says who it is. */
const main = { command: ["sleep", "100"], env: [{ name: "GREETING", value: "hello" }], workingDir: "/" }

function query(...words: readonly string[]): string {
  return new URLSearchParams(words.map((word): [string, string] => ["command", word])).toString()
}

const execUrl = ({ address }: ServedPod, wanted: string, ...command: readonly string[]) =>
  `ws://${address}/exec/main?${wanted}&${query(...command)}`

test.each(["v5.channel.k8s.io", "v4.channel.k8s.io"])("a command runs in its container's environment over %s", async (protocol) => {
  await using served = await servePod([main])
  const script = 'echo "$GREETING from $(pwd)"; echo oh >&2; exit 3'
  const client = await connectChannels(execUrl(served, "output=1&error=1", "sh", "-c", script), protocol)
  expect(client.socket.protocol).toBe(protocol)
  expect(await client.closed).toBe(1000)
  expect([client.text(stdout), client.text(stderr)]).toEqual(["hello from /\n", "oh\n"])
  expect(JSON.parse(client.text(errors))).toEqual({
    metadata: {},
    status: "Failure",
    message: `command terminated with non-zero exit code: error executing command [sh -c ${script}], exit code 3`,
    reason: "NonZeroExitCode",
    details: { causes: [{ reason: "ExitCode", message: "3" }] },
  })
})

test("v5 closes the input of a command, and its client receives that all went well", async () => {
  await using served = await servePod([main])
  const client = await connectChannels(execUrl(served, "input=1&output=1", "cat"), "v5.channel.k8s.io", "v4.channel.k8s.io")
  client.send(0, "one\n")
  await expect.poll(() => client.text(stdout)).toBe("one\n")
  client.send(0, "two\n")
  client.socket.send(Buffer.of(255, 0))
  expect(await client.closed).toBe(1000)
  expect([client.text(stdout), JSON.parse(client.text(errors))]).toEqual(["one\ntwo\n", { metadata: {}, status: "Success" }])
})

test("protocols of before version 4 have words and no Status", async () => {
  await using served = await servePod([main])
  const failed = await connectChannels(execUrl(served, "output=1", "sh", "-c", "exit 2"), "channel.k8s.io")
  await failed.closed
  expect(failed.text(errors)).toBe("command terminated with non-zero exit code: error executing command [sh -c exit 2], exit code 2")
  const well = await connectChannels(execUrl(served, "output=1", "true"), "v9.channel.k8s.io", "channel.k8s.io")
  await well.closed
  expect(well.text(errors)).toBe("")
})

test("base64 protocols send and take text", async () => {
  await using served = await servePod([main])
  const client = await connectChannels(execUrl(served, "input=1&output=1", "head", "-c", "3"), "v4.base64.channel.k8s.io")
  const messages: string[] = []
  client.socket.on("message", (data: Buffer) => messages.push(data.toString()))
  client.socket.send(`0${Buffer.from("abc").toString("base64")}`)
  await client.closed
  expect(messages.filter((text) => text.startsWith("1") && text.length > 1)).toEqual([`1${Buffer.from("abc").toString("base64")}`])
})

test("a terminal is resized while its command runs", async () => {
  await using served = await servePod([main])
  const script = "trap 'stty size' WINCH; echo ready; while :; do sleep 0.05; done"
  const client = await connectChannels(execUrl(served, "input=1&output=1&tty=1", "sh", "-c", script), "v5.channel.k8s.io")
  await expect.poll(() => client.text(stdout)).toContain("ready")
  client.send(4, '{"Width":90,"Height":33}')
  await expect.poll(() => client.text(stdout), { timeout: 3000 }).toContain("33 90")
  client.send(4, "no size")
  client.send(4, '{"Width":91,"Height":34}')
  await expect.poll(() => client.text(stdout), { timeout: 3000 }).toContain("34 91")
  client.send(0, "\u0003")
  await client.closed
  expect(JSON.parse(client.text(errors))).toMatchObject({ reason: "NonZeroExitCode" })
})

test("a command that is not there is an error of the stream", async () => {
  await using served = await servePod([main])
  const client = await connectChannels(execUrl(served, "output=1", "no-such-program"), "v5.channel.k8s.io")
  await client.closed
  expect(JSON.parse(client.text(errors))).toMatchObject({
    reason: "InternalError",
    message: 'Internal error occurred: error executing command in container: exec: "no-such-program": executable file not found in $PATH',
  })
})

test.each([
  ["no stream", "exec/main?command=ls", ["v4.channel.k8s.io"], "400 you must specify at least 1 of stdin, stdout, stderr"],
  ["an unknown container", "exec/absent?output=1&command=ls", ["v4.channel.k8s.io"], '500 container not found ("absent")'],
  ["a container that has ended", "exec/other-1?output=1&command=ls", ["v4.channel.k8s.io"], '500 container not found ("other-1")'],
  [
    "an unknown protocol",
    "exec/main?output=1&command=ls",
    ["v7.channel.k8s.io", "soup"],
    "403 unable to upgrade: unable to negotiate protocol: client supports [v7.channel.k8s.io soup], server accepts [v5.channel.k8s.io v4.channel.k8s.io v4.base64.channel.k8s.io channel.k8s.io base64.channel.k8s.io]",
  ],
] as const)("%s is refused before the connection is taken", async (_what, path, protocols, message) => {
  await using served = await servePod([main, { command: ["true"] }])
  await expect.poll(() => served.processes.running(served.pod, "other-1")).toBeUndefined()
  await expect(connectChannels(`ws://${served.address}/${path}`, ...protocols)).rejects.toThrow(message)
})

test("a command is killed when its client goes away", async () => {
  await using served = await servePod([main])
  const client = await connectChannels(execUrl(served, "output=1", "sh", "-c", "echo $$; exec sleep 100"), "v5.channel.k8s.io")
  await expect.poll(() => client.text(stdout)).toMatch(/^\d+\n$/)
  const pid = Number(client.text(stdout))
  client.socket.terminate()
  await expect.poll(() => isAlive(pid)).toBe(false)
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    // It is gone.
    return false
  }
}

/** A command that prints as much as is read of it, and says how much that is. */
function printing(total: number) {
  const chunk = Buffer.alloc(64 * 1024)
  let printed = 0
  const output = new Readable({
    read() {
      const next = chunk.subarray(0, total - printed)
      printed += next.length
      this.push(next.length === 0 ? null : next)
    },
  })
  const ended = finished(output, { writable: false }).then(() => ({ exitCode: 0 }))
  const stream: SpawnStreams = async () => ({ stdin: undefined, stdout: output, stderr: undefined, signal: () => {}, ended })
  return { stream, printed: () => printed }
}

/** Waits until a number has not grown for a thousand turns of the event loop: what is read without a stop grows in each. */
async function untilStill(number: () => number): Promise<void> {
  for (let turns = 0, before = -1; turns < 1000; turns++) {
    if (number() !== before) turns = 0
    before = number()
    await new Promise(setImmediate)
  }
}

test("a command waits for a client that does not read, and what it has printed is not kept", async () => {
  const command = printing(200_000_000)
  await using served = await servePod([main], { stream: command.stream })
  const client = await connectChannels(execUrl(served, "output=1", "print"), "v5.channel.k8s.io")
  client.socket.pause()
  await expect.poll(command.printed).toBeGreaterThan(0)
  await untilStill(command.printed)
  expect(command.printed()).toBeLessThan(64 * 1024 * 1024)
  client.socket.resume()
  await client.closed
  expect(client.size(stdout)).toBe(200_000_000)
})

test("plain SPDY runs a command with its input, its output and its exit code", async () => {
  await using served = await servePod([main])
  const path = `/exec/main?input=1&output=1&error=1&${query("sh", "-c", "cat; echo oh >&2; exit 4")}`
  const client = await connectSpdy(served.address, path, "v9.channel.k8s.io", "v4.channel.k8s.io", "v3.channel.k8s.io")
  expect(client.headers["x-stream-protocol-version"]).toBe("v4.channel.k8s.io")
  const error = await client.open({ streamtype: "error" })
  const input = await client.open({ streamtype: "stdin" })
  const [out, err] = [await client.open({ streamtype: "stdout" }), await client.open({ streamtype: "stderr" })]
  client.send(input, "in\n", { fin: true })
  await client.closed
  expect([client.text(out), client.text(err), client.isEnded(out), client.isEnded(error)]).toEqual(["in\n", "oh\n", true, true])
  expect(JSON.parse(client.text(error))).toMatchObject({ reason: "NonZeroExitCode", details: { causes: [{ message: "4" }] } })
})

test("a stream that was not asked for is reset, and the others go on", async () => {
  await using served = await servePod([main])
  const client = await connectSpdy(served.address, `/exec/main?output=1&${query("echo", "well")}`, "v4.channel.k8s.io")
  const wrong = await client.open({ streamtype: "soup" })
  const twice = [await client.open({ streamtype: "error" }), await client.open({ streamtype: "error" })]
  const out = await client.open({ streamtype: "stdout" })
  await client.closed
  expect([client.isReset(wrong), client.isReset(twice[1]!), client.text(out)]).toEqual([true, true, "well\n"])
})

test("SPDY without a protocol that is known is refused in upstream's words", async () => {
  await using served = await servePod([main])
  await expect(connectSpdy(served.address, `/exec/main?output=1&${query("ls")}`, "v7.channel.k8s.io")).rejects.toThrow(
    "403 unable to upgrade: unable to negotiate protocol: client supports [v7.channel.k8s.io], server accepts [v4.channel.k8s.io v3.channel.k8s.io v2.channel.k8s.io channel.k8s.io]",
  )
})

test("garbage ends its own connection and no other", async () => {
  await using served = await servePod([main])
  const good = await connectChannels(execUrl(served, "input=1&output=1", "cat"), "v5.channel.k8s.io")
  const path = `/exec/main?output=1&${query("ls")}`
  const bad = await connectSpdy(served.address, path, "v4.channel.k8s.io")
  bad.socket.write(Buffer.from("GET / HTTP/1.1\r\nHost: here\r\n\r\n".repeat(10)))
  await bad.closed
  const packed = await connectSpdy(served.address, path, "v4.channel.k8s.io")
  packed.socket.write(Buffer.from([0x80, 3, 0, 1, 0, 0, 0, 14, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]))
  await packed.closed
  const socket = await connectChannels(execUrl(served, "input=1&output=1", "cat"), "v5.channel.k8s.io")
  const raw = (socket.socket as unknown as { _socket: { write(bytes: Buffer): void } })._socket
  raw.write(Buffer.alloc(100, 0xff))
  expect(await socket.closed).toBe(1002)
  good.send(0, "still here\n")
  await expect.poll(() => good.text(stdout)).toBe("still here\n")
})

test("fifty commands run at once", async () => {
  await using served = await servePod([main])
  const all = await Promise.all(
    Array.from({ length: 50 }, async (_, index) => {
      const client = await connectChannels(execUrl(served, "input=1&output=1", "cat"), "v5.channel.k8s.io")
      client.send(0, `${index}`)
      return client
    }),
  )
  for (const client of all) client.socket.send(Buffer.of(255, 0))
  await Promise.all(all.map(({ closed }) => closed))
  expect(all.map((client) => client.text(stdout))).toEqual(all.map((_, index) => `${index}`))
}, 20_000)
