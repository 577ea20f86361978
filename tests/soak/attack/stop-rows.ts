import { preface } from "./http2-frames.ts"
import type { Attempt, Row } from "./row.ts"
import { pause, within } from "./waiting.ts"
import type { Wire } from "./wire.ts"

/** Milliseconds from SIGTERM to the end, whatever clients do. */
const stopTime = 10_000
/** Milliseconds: clients stay for longer than any grace period. */
const stayTime = 30_000

/** Connections in every state, that stay until the process is gone. */
async function openEverything({ anonymous, admin }: Attempt): Promise<void> {
  for (let count = 0; count < 3; count++) anonymous.tcp().resume()
  anonymous.tcp().write(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00]))
  const idle = await anonymous.tls("http/1.1")
  idle.resume()
  const begun = await anonymous.tls("http/1.1")
  begun.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n")
  const body = await anonymous.tls("http/1.1")
  body.write("POST /api/v1/secrets HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\nabc")
  const session = await anonymous.tls("h2")
  session.write(preface)
  await anonymous.tls("h2")
  const watch = admin.session().request({ ":path": "/api/v1/namespaces/default/pods?watch=1" })
  watch.on("error", () => {})
  watch.pause()
  await pause(500)
}

async function stopWithClients(attempt: Attempt): Promise<void> {
  await openEverything(attempt)
  const begun = performance.now()
  attempt.target.signal("SIGTERM")
  const result = await within(attempt.target.ended, stayTime)
  const took = performance.now() - begun
  attempt.expect(
    result === 0 && took < stopTime,
    `exit code 0 within ${stopTime / 1000} s of SIGTERM`,
    `${result} after ${Math.round(took)} ms`,
  )
}

async function leaseHolder(admin: Wire): Promise<string | undefined> {
  const path = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager"
  return JSON.parse((await admin.send({ path })).text).spec?.holderIdentity
}

/** The Lease is released, so that a standby starts at once. */
async function stopLeading(attempt: Attempt): Promise<void> {
  const before = await leaseHolder(attempt.admin)
  attempt.expect(before !== undefined && before !== "", "a leader before the end", before)
  await stopWithClients(attempt)
  const after = await leaseHolder(attempt.admin)
  attempt.expect(after === undefined || after === "", "the Lease to be released", after)
}

/** One promise that rejects unhandled is a bug: it is logged with its cause, and ends the process cleanly. */
async function unhandledRejection({ target, admin, expect }: Attempt): Promise<void> {
  await target.ask("reject", 5000)
  const result = await within(target.ended, stopTime)
  expect(result !== undefined && result !== 0, "the process to end with a code that is not 0", result)
  expect(target.output.includes("a rejection that the attack made"), "the rejection to be logged", target.output.slice(-500))
  expect(target.output.includes("its cause"), "the cause of the rejection to be logged", target.output.slice(-500))
  const holder = await leaseHolder(admin)
  expect(holder === undefined || holder === "", "the Lease to be released", holder)
}

/** These end the process themselves: nothing is judged after them. */
export const stopRows: readonly Row[] = [
  { number: 14, name: "SIGTERM with clients in every state", server: "up", endsItself: true, attempt: stopWithClients },
  { number: 14, name: "SIGTERM with clients in every state, on run", server: "run", endsItself: true, attempt: stopLeading },
  { number: 30, name: "a rejection that is not handled, on run", server: "run", endsItself: true, attempt: unhandledRejection },
]
