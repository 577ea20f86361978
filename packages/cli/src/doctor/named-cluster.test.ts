import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { VirtualClock, virtualFiles } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { clusterFindings } from "../commands/doctor.ts"
import { kubeconfigIn } from "./cluster-checks.ts"

function filesWith(...paths: readonly string[]) {
  const files = virtualFiles(new VirtualClock())
  files.makeDirectory("/data", 0o700)
  for (const path of paths) files.write(path, "{}")
  return files
}

test.each<[name: string, ...given: Parameters<typeof kubeconfigIn>, expected: ReturnType<typeof kubeconfigIn>]>([
  [
    "a directory that is named, by its kubeconfig",
    "/data",
    {},
    filesWith("/data/kubeconfig"),
    { kubeconfig: "/data/kubeconfig", inlineOnly: true },
  ],
  ["a flag that names a kubeconfig says it better", "/data", { kubeconfig: "/k" }, filesWith("/data/kubeconfig"), undefined],
  ["a directory without one says nothing", "/data", {}, filesWith(), undefined],
  ["nor does one that is not named", undefined, {}, filesWith("/data/kubeconfig"), undefined],
])("which cluster is meant: %s", (_name, named, options, files, expected) => {
  expect(kubeconfigIn(named, options, files)).toEqual(expected)
})

test("doctor looked at a data directory, and asked another cluster than the one of its kubeconfig", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "pilothouse-doctor-"))
  try {
    // One that says at once what is wrong with it: no server is asked, and nothing tried again.
    writeFileSync(join(dataDir, "kubeconfig"), JSON.stringify({ apiVersion: "v1", kind: "Config", "current-context": "of-that-directory" }))
    const [finding] = await clusterFindings({}, dataDir)
    expect(finding).toMatchObject({ what: "kubeconfig", state: "problem", found: expect.stringContaining("of-that-directory") })
  } finally {
    rmSync(dataDir, { recursive: true })
  }
})
