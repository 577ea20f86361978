import { realpathSync } from "node:fs"
import { delimiter, dirname, join, resolve } from "node:path"
import { type Files, PilothouseError } from "@pilothouse/seams"
import { systemFiles } from "@pilothouse/seams/system"
import type { Command } from "commander"

export function addEnvtestAssetsCommand(program: Command): void {
  program
    .command("envtest-assets <directory>")
    .description("write kube-apiserver, etcd and kubectl into a directory, with which envtest of controller-runtime starts Pilothouse")
    .action((directory: string) => {
      const path = resolve(directory)
      const launcher = launcherOf(realpathSync(process.argv[1] ?? ""))
      const kubectl = findInPath("kubectl", process.env.PATH ?? "", path)
      writeEnvtestAssets(systemFiles, path, { node: process.execPath, launcher, kubectl })
      const missing = kubectl === undefined ? "There is no kubectl in PATH: the one written here has get, apply, delete and logs.\n" : ""
      process.stdout.write(`${missing}envtest starts Pilothouse with\n  export KUBEBUILDER_ASSETS=${quoted(path)}\n`)
    })
}

/** What the launchers start. */
export interface EnvtestPrograms {
  readonly node: string
  /** bin/pilothouse.js of this package. */
  readonly launcher: string
  /** Undefined: this program takes its place for the commands that it has. */
  readonly kubectl?: string
}

/** Writes the three programs that envtest starts. A directory that has others of these names keeps them: refused with USAGE. */
export function writeEnvtestAssets(files: Files, directory: string, { node, launcher, kubectl }: EnvtestPrograms): void {
  const run = `${quoted(node)} ${quoted(launcher)}`
  const programs = {
    "kube-apiserver": apiServerScript(run),
    etcd: etcdScript(`${quoted(node)} ${quoted(join(dirname(launcher), "etcd-health.js"))}`),
    kubectl: script("kubectl for envtest.", [`exec ${kubectl === undefined ? run : quoted(kubectl)} "$@"`]),
  }
  for (const name of Object.keys(programs)) refuseForeign(files, join(directory, name))
  for (const [name, text] of Object.entries(programs)) files.write(join(directory, name), text, { mode: 0o755 })
}

const mark = "# Written by pilothouse envtest-assets."

function script(purpose: string, lines: readonly string[]): string {
  return ["#!/bin/sh", `${mark} ${purpose}`, ...lines, ""].join("\n")
}

/** Keys and the kubeconfig go into the directory of certificates, which envtest removes when the test ends. */
function apiServerScript(run: string): string {
  return script("Pilothouse's API server in the place of kube-apiserver, with objects in memory.", [
    `directory="\${TMPDIR:-/tmp}/pilothouse-envtest-$$"`,
    `for flag in "$@"; do`,
    `  case "$flag" in --cert-dir=*) directory="\${flag#--cert-dir=}/pilothouse" ;; esac`,
    "done",
    `exec ${run} apiserver --ephemeral --data-dir "$directory" "$@"`,
  ])
}

/** envtest asks for its flags before it starts it. */
function etcdScript(run: string): string {
  return script("Answers that it is healthy: the API server keeps its objects itself.", [`[ "$1" = --help ] && exit 0`, `exec ${run} "$@"`])
}

function refuseForeign(files: Files, path: string): void {
  const found = files.read(path)
  if (found === undefined || Buffer.from(found).toString("utf8").includes(mark)) return
  throw new PilothouseError(
    "USAGE",
    `expected nothing at ${path}, or what this command wrote, found another file; choose another directory`,
  )
}

/** The program is started by bin/pilothouse.js, or is src/main.ts or dist/main.js beside that folder. */
function launcherOf(program: string): string {
  return program.endsWith("pilothouse.js") ? program : join(dirname(dirname(program)), "bin", "pilothouse.js")
}

/** Returns the first program of the name in PATH that is not in the directory itself. */
function findInPath(name: string, path: string, besides: string): string | undefined {
  return path
    .split(delimiter)
    .filter((directory) => directory !== "" && resolve(directory) !== besides)
    .map((directory) => join(resolve(directory), name))
    .find((file) => systemFiles.facts(file)?.directory === false)
}

/** For a shell. */
function quoted(text: string): string {
  return /^[\w./@:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
