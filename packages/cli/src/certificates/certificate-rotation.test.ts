import type { TlsPair } from "@pilothouse/discovery"
import { type LogLine, logTo, VirtualClock, virtualFiles } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { tlsPair } from "../discovery/tls.ts"
import { CertificateRotation } from "./certificate-rotation.ts"

const pem = (what: string) => `-----BEGIN ${what}-----`
const flags = { tlsCertFile: "/cert", tlsPrivateKeyFile: "/key" }

/** Pairs whose parts have the same ending fit. */
function setUp() {
  const clock = new VirtualClock()
  const files = virtualFiles(clock)
  const write = (certificate: string, key: string) => {
    files.write("/cert", pem(certificate))
    files.write("/key", pem(key))
  }
  write("CERTIFICATE 1", "KEY 1")
  const lines: LogLine[] = []
  const used: TlsPair[] = []
  const rotation = new CertificateRotation({
    read: () => tlsPair(flags, files)!,
    renew: (pair) => {
      if (pair.certificate.at(-6) !== pair.key.at(-6)) throw new Error("key values mismatch")
      used.push(pair)
    },
    started: tlsPair(flags, files)!,
    clock,
    log: logTo((line) => lines.push(line)),
  })
  const stop = new AbortController()
  const running = rotation.run(stop.signal)
  return {
    clock,
    files,
    write,
    rotation,
    used: () => used.splice(0).map(({ certificate, key }) => `${certificate.slice(11, -5)}, ${key.slice(11, -5)}`),
    said: () => lines.splice(0).map(({ level, message }) => `${level}: ${message}`),
    async [Symbol.asyncDispose]() {
      stop.abort()
      await clock.run(running)
    },
  }
}

const good = "info: the certificate of xDS was read again; new connections meet the new one"
const bad = "error: the certificate of xDS could not be read again; the last good one stays"

test("files that change are taken within 10 s; files that do not are left alone", async () => {
  await using f = setUp()
  await f.clock.advance("1h")
  expect([f.used(), f.said()]).toEqual([[], []])
  f.write("CERTIFICATE 2", "KEY 2")
  await f.clock.advance("10s")
  expect([f.used(), f.said()]).toEqual([["CERTIFICATE 2, KEY 2"], [good]])
  await f.clock.advance("1h")
  expect(f.used()).toEqual([])
})

test("SIGHUP looks at once", async () => {
  await using f = setUp()
  f.write("CERTIFICATE 2", "KEY 2")
  f.rotation.check()
  expect(f.used()).toEqual(["CERTIFICATE 2, KEY 2"])
})

test("logs a pair that does not match once, and takes it when its other half comes", async () => {
  await using f = setUp()
  f.write("CERTIFICATE 2", "KEY 1")
  await f.clock.advance("1m")
  expect([f.used(), f.said()]).toEqual([[], [bad]])
  f.write("CERTIFICATE 2", "KEY 2")
  await f.clock.advance("10s")
  expect([f.used(), f.said()]).toEqual([["CERTIFICATE 2, KEY 2"], [good]])
})

test.each([
  ["gone", (f: ReturnType<typeof setUp>) => f.files.remove("/key")],
  ["no PEM", (f: ReturnType<typeof setUp>) => f.files.write("/key", "nothing")],
])("logs a file that is %s once, and takes it again when it is back", async (_title, spoil) => {
  await using f = setUp()
  spoil(f)
  await f.clock.advance("1m")
  expect([f.used(), f.said()]).toEqual([[], [bad]])
  f.write("CERTIFICATE 1", "KEY 1")
  await f.clock.advance("10s")
  expect(f.said()).toEqual([good])
  f.write("CERTIFICATE 3", "KEY 3")
  await f.clock.advance("10s")
  expect(f.used().at(-1)).toBe("CERTIFICATE 3, KEY 3")
})
