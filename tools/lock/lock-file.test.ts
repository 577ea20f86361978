import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { type LockEntries, placesWithoutIntegrity, withIntegrity, withOptionalEntries } from "./lock-file.ts"

const written: { packages: LockEntries } = JSON.parse(readFileSync(new URL("../../package-lock.json", import.meta.url), "utf8"))

test("adds optional packages for other platforms that npm left out", () => {
  const entries: LockEntries = {
    "node_modules/tool": {
      version: "1.0.0",
      dev: true,
      optionalDependencies: { "@tool/linux-arm64-musl": "1.0.0", "@tool/linux-x64-gnu": "1.0.0" },
    },
    "node_modules/@tool/linux-x64-gnu": { version: "1.0.0", integrity: "sha512-a" },
  }
  expect(withOptionalEntries(entries)["node_modules/@tool/linux-arm64-musl"]).toEqual({
    version: "1.0.0",
    cpu: ["arm64"],
    libc: ["musl"],
    os: ["linux"],
    dev: true,
    optional: true,
  })
  expect(withOptionalEntries(entries)["node_modules/@tool/linux-x64-gnu"]).toBe(entries["node_modules/@tool/linux-x64-gnu"])
})

test("adds the checksums that the registry has and leaves those it does not have out", async () => {
  const entries: LockEntries = {
    "": { version: "0.1.0" },
    "packages/api": { version: "0.1.0" },
    "node_modules/@pilothouse/api": { resolved: "packages/api", link: true },
    "node_modules/a": { version: "1.0.0", dev: true },
    "node_modules/a/node_modules/@x/b": { version: "2.0.0" },
    "node_modules/c": { version: "3.0.0", integrity: "sha512-c" },
  }
  const asked: string[] = []
  const found = await withIntegrity(entries, async (name, version) => {
    asked.push(`${name}@${version}`)
    return name === "a" ? "sha512-a" : undefined
  })
  expect(asked).toEqual(["a@1.0.0", "@x/b@2.0.0"])
  expect(found["node_modules/a"]).toEqual({ version: "1.0.0", integrity: "sha512-a", dev: true })
  expect(placesWithoutIntegrity(found)).toEqual(["node_modules/a/node_modules/@x/b"])
})

test("package-lock.json names no registry", () => {
  const addresses = Object.values(written.packages).flatMap(({ resolved, link }) => (resolved === undefined || link ? [] : [resolved]))
  expect(addresses).toEqual([])
})

test("only tools of other platforms have no checksum: what users install has one", () => {
  const without = placesWithoutIntegrity(written.packages).map((place) => written.packages[place]!)
  const fits = ({ os = [], cpu = [], libc = ["glibc"] }: (typeof without)[number]) =>
    os.includes("linux") && ["x64", "arm64"].some((one) => cpu.includes(one)) && libc.length > 0
  expect(without.filter(({ dev, optional }) => !dev || !optional)).toEqual([])
  expect(without.filter(fits)).toEqual([])
})
