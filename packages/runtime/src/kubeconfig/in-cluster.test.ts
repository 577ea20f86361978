import { type Files, VirtualClock, virtualFiles } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { ca, otherCa } from "../http/testing/certificates.ts"
import { type ClusterConnection, type ConnectOptions, connect } from "./connect.ts"

const account = "/var/run/secrets/kubernetes.io/serviceaccount"
const environment = { KUBERNETES_SERVICE_HOST: "10.96.0.1", KUBERNETES_SERVICE_PORT: "443", HOME: "/h" }
const mounted = { [`${account}/token`]: "one\n", [`${account}/ca.crt`]: ca }

interface Scene {
  readonly clock: VirtualClock
  readonly files: Files
  connect(options?: Partial<ConnectOptions>): Promise<ClusterConnection>
}

function pod(texts: Record<string, string>): Scene {
  const clock = new VirtualClock()
  const files = virtualFiles(clock)
  for (const [path, text] of Object.entries(texts)) files.write(path, text)
  const run = () => Promise.reject(new Error("no plugin here"))
  return { clock, files, connect: (options) => connect({ clock, files, environment, run, ...options }) }
}

describe("rewritten files are reloaded", () => {
  test("the token: within a minute, or at once when it was refused", async () => {
    const { clock, files, connect } = pod(mounted)
    const { credentials } = await connect()
    const first = await credentials.present()
    expect(first).toEqual({ authorization: "Bearer one" })
    await clock.advance("1s")
    files.write(`${account}/token`, "two\n")
    await clock.advance("58s")
    expect(await credentials.present()).toEqual({ authorization: "Bearer one" })
    await clock.advance("1s")
    const second = await credentials.present()
    expect(second).toEqual({ authorization: "Bearer two" })
    files.write(`${account}/token`, "three\n")
    expect(await credentials.refused(second)).toBe(true)
    expect(await credentials.present()).toEqual({ authorization: "Bearer three" })
  })

  test("the authorities: within ten seconds", async () => {
    const { clock, files, connect } = pod(mounted)
    const { authorities } = await connect()
    expect(authorities()).toBe(ca)
    await clock.advance("1s")
    files.write(`${account}/ca.crt`, otherCa)
    await clock.advance("9s")
    expect(authorities()).toBe(otherCa)
  })
})

test("without a file that says it the namespace is default", async () => {
  expect((await pod(mounted).connect()).namespace).toBe("default")
})

test("a pod that is given no token has no account, and what to do is said", async () => {
  await expect(pod({ [`${account}/ca.crt`]: ca }).connect()).rejects.toMatchObject({
    code: "NO_CLUSTER",
    message: expect.stringContaining("or a pod's service account, found neither; set KUBECONFIG"),
  })
})

describe("does not stand in for what was asked for by name", () => {
  test.each([
    ["a kubeconfig without contexts", { kubeconfig: "/empty" }, "expected a current-context in /empty, found none"],
    ["a context that is not there", { context: "prod" }, 'expected a context of /h/.kube/config (there are none), found "prod"'],
  ])("%s", async (_, options, says) => {
    const scene = pod({ ...mounted, "/empty": "", "/h/.kube/config": "" })
    await expect(scene.connect(options)).rejects.toMatchObject({ code: "INVALID", message: expect.stringContaining(says) })
  })
})
