import { type ConnectionOptions, connect } from "node:tls"
import { recordingLog, silentLog, virtualFiles } from "@pilothouse/seams"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import { expect, test } from "vitest"
import { nodePortRange } from "./port-range-flag.ts"
import { type ApiServerFlags, startApiServer } from "./start.ts"
import { defaults } from "./testing/flags.ts"
import { cipherSuites, tlsVersion } from "./tls-flags.ts"

function start(flags: Partial<ApiServerFlags> = {}, files = virtualFiles(systemClock), log = silentLog) {
  return startApiServer({ ...defaults, ...flags }, { clock: systemClock, random: systemRandom(), log, files })
}

type Running = Awaited<ReturnType<typeof start>>

function tokenOf({ kubeconfig }: Running): string {
  const [user] = kubeconfig.users as unknown as readonly [{ readonly user: { readonly token: string } }]
  return user.user.token
}

interface Spoken {
  readonly protocol: string | null
  readonly cipher: string
}

/** What a handshake agrees on. */
function speak({ url }: Running, options: ConnectionOptions): Promise<Spoken> {
  const port = Number(new URL(url).port)
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false, ...options }, () => {
      resolve({ protocol: socket.getProtocol(), cipher: socket.getCipher().name })
      socket.destroy()
    })
    socket.once("error", reject)
  })
}

async function ask({ url }: Running, path: string, token?: string): Promise<string> {
  const port = Number(new URL(url).port)
  const text = await new Promise<string>((resolve, reject) => {
    let all = ""
    const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false }, () => {
      const authorization = token === undefined ? "" : `Authorization: Bearer ${token}\r\n`
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${authorization}\r\n`)
    })
    socket.on("data", (chunk: Buffer) => (all += String(chunk)))
    socket.once("end", () => resolve(all))
    socket.once("error", reject)
  })
  return text.slice(0, text.indexOf("\r\n"))
}

test("without --anonymous-auth even health needs credentials", async () => {
  await using open = await start()
  await using closed = await start({ anonymousAuth: false })
  expect(await ask(open, "/healthz")).toBe("HTTP/1.1 200 OK")
  expect(await ask(closed, "/healthz")).toBe("HTTP/1.1 401 Unauthorized")
  expect(await ask(closed, "/version")).toBe("HTTP/1.1 401 Unauthorized")
  expect(await ask(closed, "/healthz", tokenOf(closed))).toBe("HTTP/1.1 200 OK")
})

test("--tls-min-version refuses clients that speak an older TLS", async () => {
  await using both = await start()
  await using newest = await start({ tlsMinVersion: tlsVersion("VersionTLS13") })
  const old = { maxVersion: "TLSv1.2" } as const
  expect(await speak(both, old)).toMatchObject({ protocol: "TLSv1.2" })
  expect(await speak(newest, {})).toMatchObject({ protocol: "TLSv1.3" })
  await expect(speak(newest, old)).rejects.toThrow(/protocol version/i)
})

test("--tls-cipher-suites is about TLS 1.2; that of 1.3 is always spoken", async () => {
  await using server = await start({ tlsCipherSuites: cipherSuites("TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,TLS_AES_128_GCM_SHA256") })
  const old = { maxVersion: "TLSv1.2" } as const
  expect(await speak(server, old)).toEqual({ protocol: "TLSv1.2", cipher: "ECDHE-ECDSA-AES256-GCM-SHA384" })
  await expect(speak(server, { ...old, ciphers: "ECDHE-ECDSA-AES128-GCM-SHA256" })).rejects.toThrow(/handshake failure/i)
  expect(await speak(server, {})).toMatchObject({ protocol: "TLSv1.3" })
})

test("an empty --tls-min-version and an empty --tls-cipher-suites are the defaults: TLS 1.2 is spoken", async () => {
  const flags = { tlsMinVersion: tlsVersion(""), tlsCipherSuites: cipherSuites("") }
  expect(flags).toEqual({ tlsMinVersion: undefined, tlsCipherSuites: undefined })
  await using server = await start(flags)
  expect(await speak(server, { maxVersion: "TLSv1.2" })).toMatchObject({ protocol: "TLSv1.2" })
})

test("an address that is not this machine's is named, and is no wrong flag", async () => {
  // TEST-NET-1: no machine has it.
  const error = await start({ bindAddress: "192.0.2.77" }).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({
    code: "ADDRESS",
    message: "expected to listen on port 0 of 192.0.2.77, found: it is no address of this machine; choose another address or port",
  })
})

test("a token that is there twice, and one that is empty, are warned of by line", async () => {
  const files = virtualFiles(systemClock)
  files.write("/tokens.csv", "secret,a,1\n,guest,2\nsecret,b,3\n")
  const { log, lines } = recordingLog()
  await using server = await start({ tokenAuthFile: "/tokens.csv" }, files, log)
  expect(lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
    "warn --token-auth-file: an empty token has been found in line 2 of /tokens.csv; the line counts for nothing",
    "warn --token-auth-file: a duplicate token has been found in line 3 of /tokens.csv; the last line of a token counts",
  ])
  expect(await ask(server, "/api", "secret")).toBe("HTTP/1.1 200 OK")
})

test("warns of keys that were lost between two starts", async () => {
  const files = virtualFiles(systemClock)
  const { log, lines } = recordingLog()
  await using first = await start({}, files, log)
  expect(lines).toEqual([])
  files.write("/data/pki/admin.token", "")
  files.remove("/data/pki/ca.crt")
  await using second = await start({}, files, log)
  expect(lines.map(({ message }) => message.split(":")[0])).toEqual([
    "ca.crt was missing and was recreated, for the ca.key that is there",
    "the administrator's token was empty and was recreated",
  ])
  expect(await ask(second, "/api", tokenOf(first))).toBe("HTTP/1.1 401 Unauthorized")
  files.remove("/data/pki/admin.token")
  await using _third = await start({}, files, log)
  expect(lines.at(-1)?.message).toContain("the administrator's token was missing and was recreated")
})

test("where there are objects and no keys at all, all of them were lost: warns of that, too", async () => {
  const files = virtualFiles(systemClock)
  const { log, lines } = recordingLog()
  files.makeDirectory("/data/storage", 0o700)
  await using _server = await start({}, files, log)
  expect(lines.map(({ level, message }) => `${level} ${message.split(":")[0]}`)).toEqual([
    "warn ca.crt and ca.key were missing and were recreated",
    "warn sa.key and sa.pub were missing and were recreated",
    "warn the administrator's token was missing and was recreated",
  ])
})

test.each([
  ["30000-32767", { first: 30_000, last: 32_767 }],
  ["30000+10", { first: 30_000, last: 30_010 }],
  [" 31000 ", { first: 31_000, last: 31_000 }],
  ["", { first: 30_000, last: 32_767 }],
])("--service-node-port-range=%j", (text, range) => {
  expect(nodePortRange(text)).toEqual(range)
})
