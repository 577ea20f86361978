import { ensureCertificates } from "@pilothouse/apiserver"
import { Hub, StaticRegistry, serveXds } from "@pilothouse/discovery"
import { memoryMetrics, silentLog, VirtualClock, virtualFiles } from "@pilothouse/seams"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import { expect, test } from "vitest"
import { type WatchFlags, watchDiscovery } from "./watch.ts"

const flags = { server: "127.0.0.1:1", namespace: "shop" }
const seams = { clock: systemClock, log: silentLog, print: () => undefined }

test.each([
  ["a token in the clear", { tokenFile: "/token" }],
  ["a certificate in the clear", { clientCertificate: "/own", clientKey: "/key" }],
  ["a certificate without its key", { certificateAuthority: "/ca", clientCertificate: "/own" }],
])("%s is refused before anybody is asked", async (_title, more: Partial<WatchFlags>) => {
  const watching = watchDiscovery("web.shop", { ...flags, ...more }, { ...seams, files: virtualFiles(systemClock) }, AbortSignal.abort())
  await expect(watching).rejects.toMatchObject({
    code: "USAGE",
    message: expect.stringMatching(/together|expected --certificate-authority/) as string,
  })
})

/** A server with TLS that lets in whom it is told to, and files as a client has them. */
async function serve(wants: "a certificate" | "a token") {
  const files = virtualFiles(systemClock)
  const made = { files, clock: systemClock, random: systemRandom(), directory: "/pki", serviceIp: "10.96.0.1", addresses: ["127.0.0.1"] }
  const { ca, server, admin } = await ensureCertificates(made)
  files.write("/ca", ca.certificate)
  files.write("/own", admin.certificate)
  files.write("/key", admin.key)
  files.write("/token", "good\n")
  const hub = new Hub({ registry: new StaticRegistry(), clock: new VirtualClock(), metrics: memoryMetrics() })
  const byToken = async ({ token }: { readonly token?: string }) => (token === "good" ? undefined : "expected a good token")
  const tls =
    wants === "a token"
      ? { ...server, authenticate: byToken }
      : { ...server, clientAuthority: ca.certificate, authenticate: async () => undefined }
  return { files, served: await serveXds({ hub, tls }) }
}

test.each([
  ["a certificate", { clientCertificate: "/own", clientKey: "/key" }],
  ["a token", { tokenFile: "/token" }],
] as const)("%s is shown to a server that wants one", async (wants, more) => {
  const { files, served } = await serve(wants)
  await using _served = served
  const stop = new AbortController()
  const printed = Promise.withResolvers<string>()
  const print = (line: string) => printed.resolve(line)
  const shown = { server: served.address, namespace: "shop", certificateAuthority: "/ca", ...more }
  const watching = watchDiscovery("web.shop", shown, { ...seams, files, print }, stop.signal)
  expect(await printed.promise).toMatch(/ nothing is told of web\.shop now$/)
  stop.abort()
  await watching
})
