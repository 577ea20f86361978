import { VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { connectChannels } from "./testing/channel-client.ts"
import { connectSpdy } from "./testing/spdy-client.ts"
import { type ServedPod, servePod } from "./testing/stream-server.ts"

const main = { command: ["sleep", "100"], workingDir: "/" }
/** Far more than waits for a program. */
const input = Buffer.alloc(512 * 1024)
const inputs = 8

interface DeafCommand {
  readonly pid: () => number
  readonly leave: () => void
}

/** Runs a command that says its number and reads nothing, and sends it more than a connection takes. */
type RunDeaf = (served: ServedPod) => Promise<DeafCommand>

const words = ["sh", "-c", "echo $$; exec sleep 100"].map((word): [string, string] => ["command", word])
const path = `exec/main?input=1&output=1&${new URLSearchParams(words)}`

const overChannels: RunDeaf = async ({ address }) => {
  const client = await connectChannels(`ws://${address}/${path}`, "v4.channel.k8s.io")
  for (let sent = 0; sent < inputs; sent++) client.send(0, input)
  return { pid: () => Number(client.text(1)), leave: () => client.socket.terminate() }
}

const overSpdy: RunDeaf = async ({ address }) => {
  const client = await connectSpdy(address, `/${path}`, "v4.channel.k8s.io")
  await client.open({ streamtype: "error" })
  const stdin = await client.open({ streamtype: "stdin" })
  const stdout = await client.open({ streamtype: "stdout" })
  for (let sent = 0; sent < inputs; sent++) client.send(stdin, input)
  return { pid: () => Number(client.text(stdout)), leave: () => client.socket.destroy() }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    // It is gone.
    return false
  }
}

test.each([
  ["channels", overChannels],
  ["SPDY", overSpdy],
] as const)(
  "a ping notices that the client of a command that reads nothing has gone, over %s",
  async (_protocol, runDeaf) => {
    const clock = new VirtualClock()
    await using served = await servePod([main], { clock })
    const { pid, leave } = await runDeaf(served)
    await expect.poll(pid).toBeGreaterThan(0)
    const command = pid()
    leave()
    // One ping that is answered with a reset, and one that meets it: more is not to be waited for.
    await clock.advance(20_000)
    const isGone = async () => {
      if (clock.elapsed() < 30_000) await clock.advance(1000)
      return !isAlive(command)
    }
    await expect.poll(isGone, { timeout: 15_000 }).toBe(true)
  },
  20_000,
)
