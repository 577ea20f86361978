import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { seededRandom, silentLog, virtualFiles } from "@pilothouse/seams"
import { systemClock } from "@pilothouse/seams/system"
import { afterEach, expect, test, vi } from "vitest"
import { startEmbeddedCluster } from "../embedded/cluster.ts"
import { runProgram } from "../program.ts"

afterEach(() => vi.restoreAllMocks())

const manifest = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", labels: { app: "web" } },
  spec: { containers: [{ name: "web", image: "busybox", command: ["sh", "-c", "echo hello; sleep 100"] }] },
}

/** A cluster of `up` behind its port, and what the commands print that are run on it as a shell would. */
async function shell(): Promise<AsyncDisposable & { run(...words: string[]): Promise<string>; readonly manifest: string }> {
  const directory = mkdtempSync(join(tmpdir(), "pilothouse-wire-"))
  const seams = { clock: systemClock, random: seededRandom(7), files: virtualFiles(systemClock), log: silentLog }
  const cluster = await startEmbeddedCluster({ ...seams, dataDirectory: "/data", ephemeral: true, port: 0, nodes: 1 })
  const path = join(directory, "kubeconfig")
  writeFileSync(path, JSON.stringify(cluster.kubeconfig))
  writeFileSync(join(directory, "pod.json"), JSON.stringify(manifest))
  const written: string[] = []
  const capture = (text: unknown) => written.push(typeof text === "string" ? text : new TextDecoder().decode(text as Uint8Array)) > 0
  vi.spyOn(process.stdout, "write").mockImplementation(capture)
  vi.spyOn(process.stderr, "write").mockImplementation(capture)
  return {
    manifest: join(directory, "pod.json"),
    async run(...words) {
      written.length = 0
      const code = await runProgram([...words, "--kubeconfig", path])
      return `${written.join("")}${code === 0 ? "" : `exit ${code}`}`
    },
    async [Symbol.asyncDispose]() {
      await cluster[Symbol.asyncDispose]()
      rmSync(directory, { recursive: true })
    },
  }
}

test("get ended its connection before it had its answer: each command ends with what it was asked for", async () => {
  await using terminal = await shell()
  expect(await terminal.run("apply", "-f", terminal.manifest)).toBe("pod/web created\n")
  await expect.poll(() => terminal.run("get", "pods")).toMatch(/^NAME +READY +STATUS[^\n]+\nweb +1\/1 +Running +0 +\d+s\n$/)
  expect(await terminal.run("get", "pod/web", "-o", "name")).toBe("pod/web\n")
  expect(await terminal.run("logs", "web")).toBe("hello\n")
  expect(await terminal.run("top", "nodes")).toMatch(/^NAME +CPU[^\n]+\nnode-1 /)
  expect(await terminal.run("explain", "pod/web")).toMatch(
    /^pod\/web in default: ready on node-1\n[\s\S]*\nContainers\n {2}web runs for \d+s\n/,
  )
  expect(await terminal.run("delete", "pod", "web")).toBe("pod/web deleted\n")
  expect(await terminal.run("get", "pods")).toBe("No resources found in default namespace.\n")
  expect(await terminal.run("get", "pods", "web")).toBe('pilothouse: pods "web" not found\nexit 1')
  expect(await terminal.run("delete", "pods", "web", "--all")).toContain("expected names or --all, found both; nothing was deleted\nexit 2")
})
