import { VirtualClock, virtualFiles } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { ca, clientCertificate, clientKey } from "../http/testing/certificates.ts"
import { connect } from "./connect.ts"

const base64 = (text: string) => Buffer.from(text).toString("base64")
const path = "/repository/.pilothouse/kubeconfig"
const authority = { "certificate-authority-data": base64(ca) }
const server = "https://127.0.0.1:6443"

/** What became of it, and which programs it started. */
async function connected(cluster: object, user: object, inlineOnly = true) {
  const clock = new VirtualClock()
  const files = virtualFiles(clock)
  const started: string[] = []
  const config = {
    "current-context": "x",
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    clusters: [{ name: "c", cluster }],
    users: [{ name: "u", user }],
  }
  files.write(path, JSON.stringify(config))
  files.write("/other/.ssh/id", "a secret")
  const run = (command: { readonly command: string }) => {
    started.push(command.command)
    return Promise.reject(new Error("started"))
  }
  const connection = await connect({ clock, files, environment: {}, run, kubeconfig: path, inlineOnly })
  await connection.credentials.present().catch(() => {})
  return { connection, started }
}

test.each<[name: string, cluster: object, user: object]>([
  [
    "a certificate and its key",
    { server, ...authority },
    { "client-certificate-data": base64(clientCertificate), "client-key-data": base64(clientKey) },
  ],
  ["a token", { server, ...authority }, { token: "t" }],
  ["localhost", { server: "https://localhost:6443", ...authority }, { token: "t" }],
  ["IPv6", { server: "https://[::1]:6443", ...authority }, { token: "t" }],
])("what up writes is taken: %s", async (_name, cluster, user) => {
  expect((await connected(cluster, user)).connection.server).toMatch(/^https:/)
})

const exec = { apiVersion: "client.authentication.k8s.io/v1", command: "/bin/sh", args: ["-c", "true"], interactiveMode: "Never" }

test.each<[field: string, cluster: object, user: object]>([
  ["exec", {}, { exec }],
  ["auth-provider", {}, { "auth-provider": { name: "gcp" } }],
  ["tokenFile", {}, { tokenFile: "/other/.ssh/id" }],
  ["client-certificate", {}, { "client-certificate": "/other/.ssh/id" }],
  ["client-key", {}, { "client-key": "/other/.ssh/id" }],
  ["username", {}, { username: "ann", password: "p" }],
  ["as", {}, { token: "t", as: "root" }],
  ["certificate-authority", { "certificate-authority": "/other/.ssh/id" }, {}],
  ["proxy-url", { "proxy-url": "http://evil.example:3128" }, {}],
  ["insecure-skip-tls-verify", { "insecure-skip-tls-verify": true }, {}],
  ["tls-server-name", { "tls-server-name": "evil.example" }, {}],
  ["the server https://evil.example", { server: "https://evil.example" }, { token: "t" }],
  ["the server https://127.0.0.1.evil.example", { server: "https://127.0.0.1.evil.example" }, { token: "t" }],
  ["the server https://evil.example", { server: "https://127.0.0.1@evil.example" }, { token: "t" }],
])("a kubeconfig of a cloned repository could use %s", async (found, cluster, user) => {
  const refused = { code: "INVALID", message: expect.stringMatching(new RegExp(`found ${found}.*; give --kubeconfig to use this$`)) }
  await expect(connected({ server, ...cluster }, user)).rejects.toMatchObject(refused)
})

test("one that was asked for by name may start its program", async () => {
  expect((await connected({ server, ...authority }, { exec }, false)).started).toEqual(["/bin/sh"])
})
