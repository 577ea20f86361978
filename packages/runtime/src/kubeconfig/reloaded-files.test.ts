import { type Files, VirtualClock, virtualFiles } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { ca, clientCertificate, clientKey, otherCa, serverCertificate, serverKey } from "../http/testing/certificates.ts"
import { type ClusterConnection, connect } from "./connect.ts"

interface Scene {
  readonly clock: VirtualClock
  readonly files: Files
  readonly connection: ClusterConnection
}

/** A kubeconfig of one context, and the files beside it. */
async function scene(cluster: object, user: object, beside: Record<string, string>): Promise<Scene> {
  const clock = new VirtualClock()
  const files = virtualFiles(clock)
  const config = {
    "current-context": "x",
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    clusters: [{ name: "c", cluster: { server: "https://api:6443", ...cluster } }],
    users: [{ name: "u", user }],
  }
  files.write("/h/.kube/config", JSON.stringify(config))
  for (const [name, text] of Object.entries(beside)) files.write(`/h/.kube/${name}`, text)
  const run = () => Promise.reject(new Error("no plugin here"))
  const connection = await connect({ clock, files, environment: { HOME: "/h" }, run })
  await clock.advance("1s")
  return { clock, files, connection }
}

describe("a file that is being rewritten", () => {
  test.each([
    ["empty", ""],
    ["half written", otherCa.slice(0, 100)],
    ["written but for the end of its second certificate", `${otherCa}${ca.slice(0, -10)}`],
  ])("an authority's file that is %s for a moment is not believed, and looked at again", async (_, text) => {
    const { clock, files, connection } = await scene({ "certificate-authority": "ca.crt" }, {}, { "ca.crt": ca })
    files.write("/h/.kube/ca.crt", text)
    await clock.advance("10s")
    expect(connection.authorities()).toBe(ca)
    files.write("/h/.kube/ca.crt", otherCa)
    await clock.advance("10s")
    expect(connection.authorities()).toBe(otherCa)
  })

  test.each([
    ["empty", "\n"],
    ["something else", "not found: a token\n"],
  ])("a token file that is %s for a moment is not believed, and looked at again", async (_, text) => {
    const { clock, files, connection } = await scene({}, { tokenFile: "token" }, { token: "one\n" })
    const { credentials } = connection
    files.write("/h/.kube/token", text)
    await clock.advance("60s")
    const first = await credentials.present()
    expect(first).toEqual({ authorization: "Bearer one" })
    expect(await credentials.refused(first)).toBe(false)
    files.write("/h/.kube/token", "two\n")
    expect(await credentials.refused(first)).toBe(true)
    expect(await credentials.present()).toEqual({ authorization: "Bearer two" })
  })

  test("a token file that is written twice in one instant is known by its size", async () => {
    const { files, connection } = await scene({}, { tokenFile: "token" }, { token: "one\n" })
    const { credentials } = connection
    for (const token of ["two", "three"]) {
      const before = await credentials.present()
      files.write("/h/.kube/token", `${token}\n`)
      expect(await credentials.refused(before)).toBe(true)
      expect(await credentials.present()).toEqual({ authorization: `Bearer ${token}` })
    }
  })

  test("a certificate is not presented with the key of another: the old two are, until both are new", async () => {
    const user = { "client-certificate": "client.crt", "client-key": "client.key" }
    const beside = { "client.crt": clientCertificate, "client.key": clientKey }
    const { clock, files, connection } = await scene({}, user, beside)
    const { credentials } = connection
    files.write("/h/.kube/client.crt", serverCertificate)
    await clock.advance("10s")
    expect(await credentials.present()).toEqual({ certificate: clientCertificate, key: clientKey })
    files.write("/h/.kube/client.key", serverKey)
    await clock.advance("10s")
    expect(await credentials.present()).toEqual({ certificate: serverCertificate, key: serverKey })
  })
})
