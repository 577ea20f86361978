import { lstatSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { readText, recordingLog, silentLog, VirtualClock, virtualFiles } from "@pilothouse/seams"
import { systemFiles } from "@pilothouse/seams/system"
import { describe, expect, test } from "vitest"
import { parse, stringify } from "yaml"
import { exportLine, kubeconfig, writeKubeconfig } from "./kubeconfig.ts"
import { mergeKubeconfig, publishRenewed } from "./merge-kubeconfig.ts"

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

test.each<[how: string, write: typeof writeKubeconfig]>([
  ["written", writeKubeconfig],
  ["merged into", mergeKubeconfig],
])("a file that others could read stayed so when it was %s: now only its owner may, and the user is warned", (_how, write) => {
  const files = virtualFiles(new VirtualClock())
  files.write(path, "", { mode: 0o644 })
  expect(write(files, path, config)).toBe(
    `${path} was open to other users (mode 644); it holds credentials of an administrator, so its mode is 600 now`,
  )
  expect(files.facts(path)?.mode).toBe(0o600)
  expect(write(files, path, config)).toBeUndefined()
})

test("a link that is written stays a link", () => {
  const folder = mkdtempSync(join(tmpdir(), "pilothouse-link-"))
  const [real, link] = [join(folder, "dotfiles"), join(folder, "config")]
  writeFileSync(real, "", { mode: 0o644 })
  symlinkSync("dotfiles", link)
  writeKubeconfig(systemFiles, link, config)
  expect([lstatSync(link).isSymbolicLink(), statSync(real).mode & 0o777]).toEqual([true, 0o600])
  expect(JSON.parse(readFileSync(real, "utf8"))).toEqual(config)
  rmSync(folder, { recursive: true })
})

describe("renewed credentials", () => {
  const renewed = kubeconfig({ server: "https://127.0.0.1:6443", ca: "ca", certificate: "renewed", key: "key" })

  function published(text: string | undefined) {
    const files = virtualFiles(new VirtualClock())
    const { log, lines } = recordingLog()
    if (text !== undefined) files.write(path, text)
    publishRenewed(files, [path], { issued: [config], after: renewed, log })
    return { text: readText(files, path), lines: lines.map(({ message }) => message), mode: files.facts(path)?.mode }
  }

  test.each([
    ["JSON", (value: unknown) => JSON.stringify(value)],
    ["YAML", (value: unknown) => stringify(value)],
  ])("take the place of the old ones in %s; a namespace, other clusters and the current context stay", (_form, format) => {
    const other = { name: "work", user: { token: "t" } }
    const edited = {
      ...config,
      users: [other, ...config.users],
      contexts: [{ name: "pilothouse", context: { cluster: "pilothouse", user: "pilothouse", namespace: "team" } }],
      "current-context": "work",
    }
    const { text, lines, mode } = published(format(edited))
    expect(parse(text ?? "")).toEqual({ ...edited, users: [other, ...renewed.users] })
    expect([lines, mode, text?.startsWith("{")]).toEqual([[], 0o600, format(edited).startsWith("{")])
  })

  test("reach a file that missed the renewal before, and leave one that has them as it is", () => {
    const files = virtualFiles(new VirtualClock())
    const { log, lines } = recordingLog()
    const later = kubeconfig({ server: "https://127.0.0.1:6443", ca: "ca", certificate: "later", key: "key" })
    const texts = { "/missed": stringify(config), "/has": `# mine\n${stringify(later)}` }
    for (const [file, text] of Object.entries(texts)) files.write(file, text)
    publishRenewed(files, Object.keys(texts), { issued: [config, renewed], after: later, log })
    expect([readText(files, "/missed"), readText(files, "/has"), lines]).toEqual([stringify(later), texts["/has"], []])
  })

  test.each([
    ["a user without them", JSON.stringify({ ...config, users: [] })],
    ["another cluster under our name", JSON.stringify({ ...config, ...kubeconfig({ server: "https://other", ca: "x", token: "t" }) })],
    ["no file", undefined],
  ])("are not written for %s, which is said", (_what, text) => {
    const result = published(text)
    expect(result.text).toBe(text)
    expect(result.lines).toEqual([
      `${path} does not have the credentials of this cluster any more, and is left as it is; the new ones are not in it`,
    ])
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
  expect(() => publishRenewed(files, [path], { issued: [config], after: config, log: silentLog })).toThrow(
    `expected YAML in ${path}, found: Unresolved alias (the anchor must be set before the alias); mend the file`,
  )
})
