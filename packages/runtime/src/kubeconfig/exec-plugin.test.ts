import { recordingLog, VirtualClock } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { ExecPlugin, type ExecPluginOptions } from "./exec-plugin.ts"
import { type PluginCall, type PluginResult, runPlugin } from "./run-plugin.ts"
import type { ExecEntry } from "./types.ts"

const v1 = "client.authentication.k8s.io/v1"
const whose = 'user "jane" in /k'

function credential(status: object | undefined, apiVersion = v1): string {
  return JSON.stringify({ apiVersion, kind: "ExecCredential", status })
}

interface Scripted {
  readonly plugin: ExecPlugin
  readonly calls: readonly PluginCall[]
  readonly clock: VirtualClock
}

/** A plugin that answers with these, one after the other; the last one for ever. */
function scripted(
  answers: readonly (string | Partial<PluginResult> | Error)[],
  entry: ExecEntry = {},
  options: Partial<ExecPluginOptions> = {},
): Scripted {
  const calls: PluginCall[] = []
  const clock = new VirtualClock()
  const run = async (call: PluginCall): Promise<PluginResult> => {
    const answer = answers[Math.min(calls.length, answers.length - 1)]!
    calls.push(call)
    if (answer instanceof Error) throw answer
    return { exitCode: 0, stdout: "", stderr: "", ...(typeof answer === "string" ? { stdout: answer } : answer) }
  }
  const exec = { apiVersion: v1, command: "login", interactiveMode: "Never", ...entry }
  const plugin = new ExecPlugin({
    exec,
    whose,
    cluster: () => ({ server: "https://api" }),
    clock,
    run,
    environment: { PATH: "/bin", REGION: "y" },
    terminal: false,
    ...options,
  })
  return { plugin, calls, clock }
}

test("gets arguments, environment and KUBERNETES_EXEC_INFO", async () => {
  const entry = { args: ["get", "token"], env: [{ name: "REGION", value: "x" }] }
  const { plugin, calls } = scripted([credential({ token: "t" })], entry)
  expect(await plugin.present()).toEqual({ authorization: "Bearer t" })
  expect(calls).toEqual([
    {
      command: "login",
      args: ["get", "token"],
      interactive: false,
      signal: expect.any(AbortSignal),
      environment: {
        PATH: "/bin",
        REGION: "x",
        KUBERNETES_EXEC_INFO: JSON.stringify({ kind: "ExecCredential", apiVersion: v1, spec: { interactive: false } }),
      },
    },
  ])
})

test("receives the cluster info with provideClusterInfo", async () => {
  const { plugin, calls } = scripted([credential({ token: "t" })], { provideClusterInfo: true })
  await plugin.present()
  expect(JSON.parse(calls[0]!.environment.KUBERNETES_EXEC_INFO!).spec).toEqual({ cluster: { server: "https://api" }, interactive: false })
})

test("may give a certificate", async () => {
  const { plugin } = scripted([credential({ clientCertificateData: "c", clientKeyData: "k" })])
  expect(await plugin.present()).toEqual({ certificate: "c", key: "k" })
})

test("is asked once for as long as what it gave is valid, however many ask", async () => {
  const expires = "2026-01-05T09:10:00Z"
  const { plugin, calls, clock } = scripted([credential({ token: "a", expirationTimestamp: expires }), credential({ token: "b" })])
  await Promise.all([plugin.present(), plugin.present()])
  await clock.advance("10m")
  expect(await plugin.present()).toEqual({ authorization: "Bearer a" })
  expect(calls).toHaveLength(1)
  await clock.advance("1s")
  expect(await plugin.present()).toEqual({ authorization: "Bearer b" })
  await clock.advance("1000h")
  await plugin.present()
  expect(calls).toHaveLength(2)
})

test("is asked again when the server refused what it gave, once for all who were refused", async () => {
  const { plugin, calls } = scripted([credential({ token: "a" }), credential({ token: "b" })])
  const first = await plugin.present()
  expect(await Promise.all([plugin.refused(first), plugin.refused(first)])).toEqual([true, true])
  expect(await plugin.refused(first)).toBe(true)
  expect(calls).toHaveLength(2)
})

test("that gives the same again is not worth another try", async () => {
  const { plugin } = scripted([credential({ token: "a" })])
  expect(await plugin.refused(await plugin.present())).toBe(false)
})

test("that gives another certificate is worth another try", async () => {
  const given = (name: string) => credential({ clientCertificateData: name, clientKeyData: "key" })
  const { plugin } = scripted([given("old"), given("new")])
  expect(await plugin.refused(await plugin.present())).toBe(true)
})

test("that failed is asked again by the next request", async () => {
  const { plugin } = scripted([{ exitCode: 1 }, credential({ token: "a" })])
  await expect(plugin.present()).rejects.toMatchObject({ code: "CREDENTIALS" })
  expect(await plugin.present()).toEqual({ authorization: "Bearer a" })
})

describe("what it does wrong is said, without showing what it printed", () => {
  const from = `expected credentials of ${whose} from the exec plugin login: it`
  const rows: Record<string, { answer: string | Partial<PluginResult> | Error; entry?: ExecEntry; says: string }> = {
    "it is not installed": {
      answer: new Error("spawn login ENOENT"),
      says: `${from} could not be started (spawn login ENOENT); install it, or correct its path`,
    },
    "it is not installed, and the kubeconfig has a hint": {
      answer: new Error("spawn login ENOENT"),
      entry: { installHint: "brew install login" },
      says: `${from} could not be started (spawn login ENOENT); brew install login`,
    },
    "it fails": {
      answer: { exitCode: 3, stderr: "session expired, run `login`\n" },
      says: `${from} ended with exit code 3: session expired, run \`login\`; run it by hand to see why`,
    },
    "it is killed": {
      answer: { exitCode: undefined },
      says: `${from} ended with exit code none (it was killed): nothing on standard error; run it by hand to see why`,
    },
    "it prints nothing": { answer: "", says: `${from} printed nothing; update the plugin` },
    "it prints no JSON": { answer: "token: abc", says: `${from} printed something that is not JSON; update the plugin` },
    "it prints another version": {
      answer: credential({ token: "x" }, "client.authentication.k8s.io/v1beta1"),
      says: `${from} printed "client.authentication.k8s.io/v1beta1" "ExecCredential" where ${v1} ExecCredential is configured; update the plugin`,
    },
    "no status": { answer: credential(undefined), says: `${from} printed an ExecCredential without a status; update the plugin` },
    "a token with a line break": {
      answer: credential({ token: "a\nb" }),
      says: `${from} printed a token with characters that no header can carry; update the plugin`,
    },
    "no token": { answer: credential({}), says: `${from} printed neither a token nor a certificate; update the plugin` },
    "half a certificate": {
      answer: credential({ clientKeyData: "k" }),
      says: `${from} printed a client key without its certificate; update the plugin`,
    },
    "an odd time": {
      answer: credential({ token: "x", expirationTimestamp: "soon" }),
      says: `${from} printed "soon" as expirationTimestamp; update the plugin`,
    },
  }
  test.each(Object.entries(rows))("%s", async (_, { answer, entry, says }) => {
    await expect(scripted([answer], entry).plugin.present()).rejects.toMatchObject({ code: "CREDENTIALS", message: says })
  })
})

describe("the entry in the kubeconfig", () => {
  const both = "client.authentication.k8s.io/v1 or client.authentication.k8s.io/v1beta1"
  const rows: Record<string, { entry: ExecEntry; says: string }> = {
    "no command": { entry: { command: "" }, says: `expected a command in exec of ${whose}, found none; add it` },
    "an old apiVersion": {
      entry: { apiVersion: "client.authentication.k8s.io/v1alpha1" },
      says: `expected apiVersion ${both} in exec of ${whose}, found "client.authentication.k8s.io/v1alpha1"; update the plugin and the kubeconfig`,
    },
    "no apiVersion": {
      entry: { apiVersion: undefined },
      says: `expected apiVersion ${both} in exec of ${whose}, found none; update the plugin and the kubeconfig`,
    },
    "no interactiveMode in v1": {
      entry: { interactiveMode: undefined },
      says: `expected interactiveMode Never, IfAvailable or Always in exec of ${whose}, found none; set it`,
    },
    "an unknown interactiveMode": {
      entry: { interactiveMode: "Sometimes" },
      says: `expected interactiveMode Never, IfAvailable or Always in exec of ${whose}, found "Sometimes"; set it`,
    },
    "a terminal is needed and there is none": {
      entry: { interactiveMode: "Always" },
      says: `expected a terminal, because the exec plugin of ${whose} has interactiveMode Always, found none; log in by hand first, or use another user`,
    },
  }
  test.each(Object.entries(rows))("%s", (_, { entry, says }) => {
    expect(() => scripted([""], entry)).toThrow(expect.objectContaining({ message: says }))
  })

  test.each([
    ["IfAvailable, at a terminal", v1, "IfAvailable", true, true],
    ["IfAvailable, without one", v1, "IfAvailable", false, false],
    ["Always, at a terminal", v1, "Always", true, true],
    ["nothing in v1beta1 is IfAvailable", "client.authentication.k8s.io/v1beta1", undefined, true, true],
  ])("%s", async (_, apiVersion, interactiveMode, terminal, interactive) => {
    const { plugin, calls } = scripted([credential({ token: "t" }, apiVersion)], { apiVersion, interactiveMode }, { terminal })
    await plugin.present()
    expect(calls[0]?.interactive).toBe(interactive)
  })
})

test("that does not answer is logged after 10 s, once for all requests, and killed at close", async () => {
  const { log, lines } = recordingLog()
  const signals: AbortSignal[] = []
  const run = ({ signal }: PluginCall) => {
    signals.push(signal)
    return new Promise<PluginResult>(() => {})
  }
  const { plugin, clock } = scripted([], {}, { run, log })
  void plugin.present()
  void plugin.present()
  await clock.advance("9s")
  expect(lines).toEqual([])
  await clock.advance("30s")
  expect(lines).toEqual([
    {
      level: "warn",
      message: "the exec plugin has not answered yet, and every request waits for it",
      fields: { plugin: "login", of: whose, after: 10_000 },
    },
  ])
  expect(signals.map(({ aborted }) => aborted)).toEqual([false])
  plugin.close()
  expect(signals.map(({ aborted }) => aborted)).toEqual([true])
})

test("that answers in time leaves no timer behind", async () => {
  const { plugin, clock } = scripted([credential({ token: "t" })])
  await plugin.present()
  expect(clock.waiting()).toEqual([])
})

describe("a real program", () => {
  const { signal } = new AbortController()
  const script = "process.stdout.write(process.env.GIVEN); process.stderr.write('e'); process.exitCode = 4"

  test("gets its environment, and gives both outputs and its exit code", async () => {
    const call = { command: process.execPath, args: ["-e", script], environment: { GIVEN: "ü" }, interactive: false, signal }
    expect(await runPlugin(call)).toEqual({ exitCode: 4, stdout: "ü", stderr: "e" })
  })

  test("that is not there rejects", async () => {
    await expect(runPlugin({ command: "/no/such/plugin", args: [], environment: {}, interactive: false, signal })).rejects.toThrow("ENOENT")
  })

  test("that prints without end is ended", async () => {
    const endless = "const more = () => process.stdout.write('x'.repeat(65536), more); more()"
    const { exitCode, stdout } = await runPlugin({
      command: process.execPath,
      args: ["-e", endless],
      environment: {},
      interactive: false,
      signal,
    })
    expect(exitCode).toBeUndefined()
    expect(stdout.length).toBeLessThan(64 * 1024 * 1024)
  })

  test("that never ends is ended with its signal", async () => {
    const stop = new AbortController()
    const call = { command: process.execPath, args: ["-e", "setInterval(() => {}, 1000)"], environment: {}, interactive: false }
    const running = runPlugin({ ...call, signal: stop.signal })
    stop.abort()
    await expect(running).rejects.toMatchObject({ name: "AbortError" })
  })
})
