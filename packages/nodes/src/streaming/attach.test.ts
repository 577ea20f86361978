import { expect, test } from "vitest"
import { connectChannels } from "./testing/channel-client.ts"
import { servePod } from "./testing/stream-server.ts"

const [stdout, stderr, errors] = [1, 2, 3]

test("clients that are attached share the streams of a process, until it ends", async () => {
  const command = ["sh", "-c", 'while read line; do echo "got $line"; test "$line" = end && exit 3; done; echo over >&2']
  await using served = await servePod([{ command, stdin: true }])
  const attach = () => connectChannels(`ws://${served.address}/attach/main?input=1&output=1&error=1`, "v5.channel.k8s.io")
  const [first, second] = [await attach(), await attach()]
  first.send(0, "one\n")
  await expect.poll(() => second.text(stdout)).toBe("got one\n")
  first.socket.send(Buffer.of(255, 0))
  // Its input stays open for others.
  second.send(0, "end\n")
  expect([await first.closed, await second.closed]).toEqual([1000, 1000])
  expect([first.text(stdout), first.text(stderr)]).toEqual(["got one\ngot end\n", ""])
  expect(JSON.parse(first.text(errors))).toEqual({ metadata: {}, status: "Success" })
})

test("with stdinOnce the input of a container ends with the first client that had it", async () => {
  await using served = await servePod([{ command: ["sh", "-c", "cat; echo over"], stdin: true, stdinOnce: true }])
  const client = await connectChannels(`ws://${served.address}/attach/main?input=1&output=1`, "v5.channel.k8s.io")
  client.send(0, "one\n")
  client.socket.send(Buffer.of(255, 0))
  await client.closed
  expect(client.text(stdout)).toBe("one\nover\n")
})

test("a container with a terminal has it for those who attach", async () => {
  // The size is set by a program that takes its time.
  const command = ["sh", "-c", 'read line; until test "$(stty size)" = "20 70"; do sleep 0.01; done; test -t 1 && stty size && echo $line']
  await using served = await servePod([{ command, stdin: true, tty: true }])
  const client = await connectChannels(`ws://${served.address}/attach/main?input=1&output=1&tty=1`, "v5.channel.k8s.io")
  client.send(4, '{"Width":70,"Height":20}')
  client.send(0, "hello\n")
  await client.closed
  expect(client.text(stdout).replaceAll("\r", "")).toBe("hello\n20 70\nhello\n")
})

test("a client that does not read is cut off, and the process goes on", async () => {
  const command = ["sh", "-c", "read go; head -c 16000000 /dev/zero | tr '\\0' 'x'; echo; sleep 100"]
  await using served = await servePod([{ command, stdin: true }])
  const attach = () => connectChannels(`ws://${served.address}/attach/main?input=1&output=1`, "v5.channel.k8s.io")
  const [slow, quick] = [await attach(), await attach()]
  slow.socket.pause()
  quick.send(0, "go\n")
  await expect.poll(() => quick.text(stdout).length).toBe(16_000_001)
  slow.socket.resume()
  await slow.closed
  expect(JSON.parse(slow.text(errors)).message).toBe(
    "Internal error occurred: the client is more than 1048576 bytes behind the output of the container",
  )
})
