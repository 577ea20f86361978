// The go.mod and tools.go that make a module's programs buildable from outside: text in, text out.

/**
 * The modules that Kubernetes keeps in its own tree ("staging"). Its go.mod requires them as v0.0.0 and replaces them by folders,
 * which are not in the module's zip and which Go ignores in a dependency anyway.
 */
export function stagingModules(goMod: string): string[] {
  return [...goMod.matchAll(/^\s*(?:require\s+)?(k8s\.io\/\S+) v0\.0\.0(?:\s*\/\/.*)?$/gm)].map((match) => match[1] ?? "")
}

/**
 * Staging modules are published with the release's minor and patch: 1.36.3 → v0.36.3. The `go` and `godebug` lines are taken over
 * because both change how programs behave, and Go heeds only the main module's.
 */
export function wrapperGoMod({ module, version, upstream }: { module: string; version: string; upstream: string }): string {
  const staging = stagingModules(upstream)
  if (staging.length === 0)
    throw new Error(`expected k8s.io modules with version v0.0.0 in the go.mod of ${module} v${version}, found none`)
  const stagingVersion = `v0.${version.split(".").slice(1).join(".")}`
  const lines = [
    "module pilothouse/components",
    ...upstream.split("\n").filter((line) => /^(go|godebug) [^(]*$/.test(line)),
    `require ${module} v${version}`,
    ...staging.map((name) => `replace ${name} => ${name} ${stagingVersion}`),
  ]
  return `${lines.join("\n")}\n`
}

/**
 * A module's own go.mod with the module itself required, and with other versions of some modules: Go heeds replacements only in the
 * main module, and a version that is not served must not even be requested, so both its line and a replacement name the other one.
 */
export function pinnedGoMod({ module, version, upstream, instead }: PinnedGoMod): string {
  // What a module replaces by a folder of its own is published beside it, under the version that it requires.
  const published = upstream.split("\n").filter((line) => !line.includes("=> ./"))
  const lines = published.map((line) => {
    const required = /^(\s+)(\S+) v\S+(.*)$/.exec(line)
    const other = required === null ? undefined : instead[required[2] ?? ""]
    return other === undefined ? line : line.replace(/ v\S+/, ` ${other}`)
  })
  const unasked = Object.keys(instead).filter((name) => !upstream.includes(`\t${name} v`))
  if (unasked.length > 0) throw new Error(`expected ${unasked.join(", ")} in the go.mod of ${module} ${version}, found other modules`)
  const own = ["module pilothouse/components", ...lines.filter((line) => !line.startsWith("module ")), `require ${module} ${version}`]
  return `${[...own, ...Object.entries(instead).map(([name, other]) => `replace ${name} => ${name} ${other}`)].join("\n")}\n`
}

export interface PinnedGoMod {
  module: string
  version: string
  upstream: string
  /** Module → the version to use in place of the one that `upstream` asks for. */
  instead: Readonly<Record<string, string>>
}

/** A file that is never compiled: `go mod tidy` keeps what the programs need because this imports them. */
export function toolsGo(packages: readonly string[]): string {
  const imports = packages.map((path) => `\t_ "${path}"`)
  return ["//go:build tools", "", "package tools", "", "import (", ...imports, ")", ""].join("\n")
}
