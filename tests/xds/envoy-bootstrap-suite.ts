import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Certificates, ensureCertificates } from "@pilothouse/apiserver"
import { type Credentials, envoyBootstrap } from "@pilothouse/discovery"
import { virtualFiles } from "@pilothouse/seams"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import { Child } from "../real/child.ts"
import type { Tally } from "../real/tally.ts"
import { Backend } from "./backend.ts"
import { Discovery, endpoint, service } from "./discovery.ts"
import { EnvoyProcess } from "./envoy-process.ts"
import { until } from "./until.ts"

const web = "web.shop.svc.cluster.local"
const cluster = `outbound|8080||${web}`

/** What `pilothouse discovery bootstrap --for envoy` makes, read by a real Envoy; and TLS with a certificate that is replaced. */
export async function envoyBootstrapSuite(tally: Tally, program: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "pilothouse-bootstrap-"))
  try {
    const [first, second] = [await certificates("first"), await certificates("second")]
    const authorityFile = join(folder, "ca.pem")
    writeFileSync(authorityFile, first.ca.certificate)
    const own = { authorityFile, certificateFile: join(folder, "own.pem"), keyFile: join(folder, "own.key") }
    writeFileSync(own.certificateFile, first.admin.certificate)
    writeFileSync(own.keyFile, first.admin.key)
    const tokenFile = join(folder, "token")
    writeFileSync(tokenFile, "a-good-token")
    await tally.group("envoy: every bootstrap is taken", async (group) => {
      const common = { port: 15_010, nodeId: "n1", namespace: "shop", adminPort: 15_000 }
      for (const protocol of ["sotw", "delta"] as const) {
        for (const host of ["127.0.0.1", "::1", "xds.example"]) {
          for (const more of [{}, { authorityFile }, own, { authorityFile, tokenFile }, { ownPorts: true }, { network: "east" }]) {
            const bootstrap = envoyBootstrap({ ...common, host, protocol, ...more })
            group.case(`${protocol}, ${host}, ${Object.keys(more).join() || "plain"}`, await validated(program, folder, bootstrap))
          }
        }
      }
    })
    await tally.group("envoy: shows who it is, as the bootstrap says", async (group) => {
      await using backend = await new Backend("one").start()
      const byToken = async ({ token }: Credentials) => (token === "a-good-token" ? undefined : "expected a good token")
      const ways = [
        ["a certificate", own, { ...first.server, clientAuthority: first.ca.certificate, authenticate: async () => undefined }],
        ["a token", { authorityFile, tokenFile }, { ...first.server, authenticate: byToken }],
      ] as const
      for (const [what, tls, server] of ways) {
        for (const protocol of ["sotw", "delta"] as const) {
          await using discovery = await new Discovery().start(0, server)
          discovery.registry.put(service("web"))
          discovery.registry.putEndpoints(web, [endpoint(backend.port)])
          await using envoy = await EnvoyProcess.start({ program, protocol, xdsPort: discovery.port, tls })
          await envoy.live()
          group.case(`${protocol}, ${what}`, differs(await envoy.call(cluster), "one"))
        }
      }
    })
    await tally.group("envoy: a certificate that is replaced", async (group) => {
      await using backend = await new Backend("one").start()
      const tls = { ...first.server, authenticate: async () => undefined }
      await using discovery = await new Discovery().start(0, tls)
      discovery.registry.put(service("web"))
      discovery.registry.putEndpoints(web, [endpoint(backend.port)])
      const common = { program, protocol: "delta", xdsPort: discovery.port } as const
      await using before = await EnvoyProcess.start({ ...common, tls: { authorityFile } })
      await before.live()
      group.case("traffic over TLS", differs(await before.call(cluster), "one"))
      discovery.renew(second.server)
      const nextFile = join(folder, "next-ca.pem")
      writeFileSync(nextFile, second.ca.certificate)
      await using after = await EnvoyProcess.start({ ...common, tls: { authorityFile: nextFile } })
      await after.live()
      group.case("traffic of one that trusts only the new one", differs(await after.call(cluster), "one"))
      discovery.registry.putEndpoints(web, [])
      for (const envoy of [before, after]) await until("both to receive a change", async () => (await envoy.call(cluster)) === "503")
      group.case("the first stream was never cut", differs(String(await reconnects(before)), "0"))
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function certificates(directory: string): Promise<Certificates> {
  const seams = { files: virtualFiles(systemClock), clock: systemClock, random: systemRandom() }
  return ensureCertificates({ ...seams, directory: `/${directory}`, serviceIp: "10.96.0.1", addresses: ["127.0.0.1"] })
}

/** Undefined: Envoy takes it. */
async function validated(program: string, folder: string, bootstrap: object): Promise<string | undefined> {
  const path = join(folder, "bootstrap.json")
  writeFileSync(path, JSON.stringify(bootstrap))
  const child = new Child({ name: "envoy", program, args: ["--mode", "validate", "-c", path, "-l", "warning"] })
  await child.ended
  return child.output.includes("OK") ? undefined : child.output
}

async function reconnects(envoy: EnvoyProcess): Promise<number> {
  return (await envoy.stats("cluster.xds-grpc.upstream_cx_destroy$"))["cluster.xds-grpc.upstream_cx_destroy"] ?? -1
}

function differs(found: string, expected: string): string | undefined {
  return found === expected ? undefined : `expected ${expected}, found ${found}`
}
