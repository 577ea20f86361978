import { ensureCertificates, serveHttps } from "@pilothouse/apiserver"
import { silentLog, type Transport, virtualFiles } from "@pilothouse/seams"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import { expect, test } from "vitest"
import { swappableTransport } from "../run/connection/swappable-transport.ts"

/** Says who asked. */
const server: Transport = async ({ headers }) => ({
  status: 200,
  headers: {},
  body: { type: "bytes", bytes: new TextEncoder().encode(String(headers.authorization)), contentType: "text/plain" },
})

async function stage(lines: readonly string[]) {
  const files = virtualFiles(systemClock)
  const seams = { clock: systemClock, random: systemRandom(), log: silentLog, files }
  const certificates = await ensureCertificates({ ...seams, directory: "/pki", serviceIp: "10.96.0.1" })
  const https = await serveHttps({ ...seams, transportFor: () => server, host: "127.0.0.1", port: 0, certificates })
  files.write("/etc/kuryr/token", "of-kuryr\n")
  files.write("/etc/kuryr/authority.pem", certificates.ca.certificate)
  files.write("/etc/kuryr/kuryr.conf", ["[kubernetes]", `api_root = https://127.0.0.1:${https.port}`, ...lines].join("\n"))
  return { seams, port: https.port, [Symbol.asyncDispose]: () => https.close(0) }
}

const choice = { kubeconfig: "", context: "", openstack: true, "config-file": "/etc/kuryr/kuryr.conf" }
const request = { verb: "GET", path: "/whoami", query: {}, headers: {} } as const

test.each([
  ["its authority and its token", ["ssl_ca_crt_file = authority.pem", "token_file = /etc/kuryr/token"]],
  ["no check, where it says so", ["ssl_verify_server_crt = False", "token_file = /etc/kuryr/token"]],
])("[kubernetes] of kuryr.conf leads to the cluster: %s", async (_name, lines) => {
  await using there = await stage(lines)
  await using connection = await swappableTransport(choice, there.seams)
  expect(connection.server).toBe(`https://127.0.0.1:${there.port}`)
  const { body } = await connection.transport(request)
  expect(body?.type === "bytes" && new TextDecoder().decode(body.bytes)).toBe("Bearer of-kuryr")
})

test("a server that is of another authority is refused, even if nothing is said about checking", async () => {
  await using there = await stage([])
  await using connection = await swappableTransport(choice, there.seams)
  await expect(connection.transport(request)).rejects.toThrow(/certificate/)
})

test("a certificate without its key is reported", async () => {
  await using there = await stage(["ssl_client_crt_file = /etc/kuryr/client.pem"])
  await expect(swappableTransport(choice, there.seams)).rejects.toThrow(
    "[kubernetes]: expected both ssl_client_crt_file and ssl_client_key_file",
  )
})
