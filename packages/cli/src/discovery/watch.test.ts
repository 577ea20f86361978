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
])("%s is refused before a server is asked", async (_title, more: Partial<WatchFlags>) => {
  const watching = watchDiscovery("web.shop", { ...flags, ...more }, { ...seams, files: virtualFiles(systemClock) }, AbortSignal.abort())
  await expect(watching).rejects.toMatchObject({
    code: "USAGE",
    message: expect.stringMatching(/together|expected --certificate-authority/) as string,
  })
})

/** A server with TLS and the given authentication, and files as a client has them. */
async function serve(wants: "a certificate" | "a token" | "both") {
  const files = virtualFiles(systemClock)
  const made = { files, clock: systemClock, random: systemRandom(), directory: "/pki", serviceIp: "10.96.0.1", addresses: ["127.0.0.1"] }
  const { ca, server, admin } = await ensureCertificates(made)
  files.write("/ca", ca.certificate)
  files.write("/own", admin.certificate)
  files.write("/key", admin.key)
  files.write("/token", "good\n")
  const hub = new Hub({ registry: new StaticRegistry(), clock: new VirtualClock(), metrics: memoryMetrics() })
  const byToken = async ({ token }: { readonly token?: string }) => (token === "good" ? undefined : "expected a good token")
  const tls = {
    ...server,
    ...(wants !== "a token" && { clientAuthority: ca.certificate }),
    authenticate: wants === "a certificate" ? async () => undefined : byToken,
  }
  return { files, served: await serveXds({ hub, tls }) }
}

test.each([
  ["a certificate", { clientCertificate: "/own", clientKey: "/key" }],
  ["a token", { tokenFile: "/token" }],
  ["both", { clientCertificate: "/own", clientKey: "/key", tokenFile: "/token" }],
] as const)("%s is shown to a server that requires it", async (wants, more) => {
  const { files, served } = await serve(wants)
  await using _served = served
  const stop = new AbortController()
  const printed = Promise.withResolvers<string>()
  const print = (line: string) => printed.resolve(line)
  const shown = { server: served.address, namespace: "shop", certificateAuthority: "/ca", ...more }
  const watching = watchDiscovery("web.shop", shown, { ...seams, files, print }, stop.signal)
  expect(await printed.promise).toMatch(/ clients get nothing of web\.shop now; "pilothouse discovery explain web\.shop" says why$/)
  stop.abort()
  await watching
})

test.each([
  [
    "the key of another certificate",
    { clientCertificate: "/own", clientKey: "/other-key" },
    "expected the key of /own (--client-certificate) in",
  ],
  [
    "a key where a certificate belongs",
    { clientCertificate: "/key", clientKey: "/key" },
    "--client-certificate: expected a certificate (PEM) in",
  ],
  [
    "a certificate where a key belongs",
    { clientCertificate: "/own", clientKey: "/own" },
    "--client-key: expected a private key (PEM) in /own",
  ],
  ["a key for an authority", { certificateAuthority: "/key" }, "--certificate-authority: expected a certificate (PEM) in /key"],
])("%s is refused with the flag's name", async (_title, more: Partial<WatchFlags>, words) => {
  const files = virtualFiles(systemClock)
  const made = { files, clock: systemClock, random: systemRandom(), directory: "/pki", serviceIp: "10.96.0.1", addresses: ["127.0.0.1"] }
  const { ca, server, admin } = await ensureCertificates(made)
  for (const [path, pem] of Object.entries({
    "/ca": ca.certificate,
    "/own": admin.certificate,
    "/key": admin.key,
    "/other-key": server.key,
  }))
    files.write(path, pem)
  const watching = watchDiscovery("web.shop", { ...flags, certificateAuthority: "/ca", ...more }, { ...seams, files }, AbortSignal.abort())
  await expect(watching).rejects.toMatchObject({ code: "USAGE", message: expect.stringContaining(words) as string })
})
