import { lstatSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { readText, VirtualClock, virtualFiles } from "@pilothouse/seams"
import { systemFiles } from "@pilothouse/seams/system"
import { expect, test } from "vitest"
import { parse } from "yaml"
import { exportLine, kubeconfig, writeKubeconfig } from "./kubeconfig.ts"
import { mergeKubeconfig } from "./merge-kubeconfig.ts"

const config = kubeconfig({ server: "https://127.0.0.1:6443", ca: "ca", certificate: "certificate", key: "key" })
const path = "/home/me/.kube/config"

function read(files: ReturnType<typeof virtualFiles>): Record<string, unknown> {
  return parse(readText(files, path) ?? "")
}

test("it holds a private key, so only its owner may read it", () => {
  const files = virtualFiles(new VirtualClock())
  writeKubeconfig(files, path, config)
  expect(files.facts(path)?.mode).toBe(0o600)
  expect(read(files)).toMatchObject({
    "current-context": "pilothouse",
    clusters: [{ cluster: { server: "https://127.0.0.1:6443", "certificate-authority-data": "Y2E=" } }],
  })
})

test("merging keeps other clusters and replaces ours", () => {
  const files = virtualFiles(new VirtualClock())
  const other = { name: "work", cluster: { server: "https://work" } }
  files.write(
    path,
    JSON.stringify({ ...config, clusters: [other, { name: "pilothouse", cluster: { server: "https://old" } }], "current-context": "work" }),
  )
  mergeKubeconfig(files, path, config)
  const merged = read(files)
  expect(merged.clusters).toEqual([other, ...config.clusters])
  expect(merged["current-context"]).toBe("pilothouse")
})

test("a link was replaced by a file, and what it led to knew nothing of us", () => {
  const folder = mkdtempSync(join(tmpdir(), "pilothouse-merge-"))
  const [real, link] = [join(folder, "dotfiles"), join(folder, "config")]
  writeFileSync(real, "")
  symlinkSync(real, link)
  mergeKubeconfig(systemFiles, link, config)
  expect(lstatSync(link).isSymbolicLink()).toBe(true)
  expect(parse(readFileSync(real, "utf8"))).toEqual(config)
  rmSync(folder, { recursive: true })
})

test.each([
  ["/home/me/.pilothouse/kubeconfig", "export KUBECONFIG=/home/me/.pilothouse/kubeconfig"],
  ["/home/me/My Clusters/kubeconfig", "export KUBECONFIG='/home/me/My Clusters/kubeconfig'"],
  ["/home/me/o'neil/kubeconfig", "export KUBECONFIG='/home/me/o'\\''neil/kubeconfig'"],
])("%s can be given to a shell as it is printed", (where, line) => {
  expect(exportLine(where)).toBe(line)
})

test("merging into nothing makes the file", () => {
  const files = virtualFiles(new VirtualClock())
  mergeKubeconfig(files, path, config)
  expect(read(files)).toEqual(config)
})

test("a file that is no kubeconfig is left as it is", () => {
  const files = virtualFiles(new VirtualClock())
  files.write(path, "just words")
  expect(() => mergeKubeconfig(files, path, config)).toThrow(
    `expected a kubeconfig in ${path}, found no map; mend or move the file, or leave --merge out`,
  )
  expect(readText(files, path)).toBe("just words")
})

test("a file that cannot be read shows nothing of its secrets", () => {
  const files = virtualFiles(new VirtualClock())
  files.write(path, "users:\n- user: { token: *hush }\n")
  expect(() => mergeKubeconfig(files, path, config)).toThrow(
    `expected YAML in ${path}, found: Unresolved alias (the anchor must be set before the alias); mend the file`,
  )
})
