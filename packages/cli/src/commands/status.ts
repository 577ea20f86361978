import { systemFiles } from "@pilothouse/seams/system"
import type { Command } from "commander"
import { aligned } from "../client/table.ts"
import { addDirectoryOptions, type DirectoryOptions } from "../data-directory/choose-directory.ts"
import { ownerSystem } from "../data-directory/directory-owner.ts"
import { type KnownCluster, knownClusters, namedCluster } from "../up/known-clusters.ts"

interface StatusOptions extends DirectoryOptions {
  readonly json?: boolean
}

export function addStatusCommand(program: Command): void {
  const status = program.command("status").description("list the clusters of this machine, and whether they are up")
  addDirectoryOptions(status, "the data directory of one cluster").option("--json", "print them as JSON, for programs").action(printStatus)
}

function printStatus({ json, ...one }: StatusOptions): void {
  const seams = { files: systemFiles, system: ownerSystem }
  const isOne = one.name !== undefined || one.dataDir !== undefined
  const clusters = isOne ? [namedCluster(one, seams)] : knownClusters(seams)
  process.stdout.write(json ? `${JSON.stringify(clusters.map(factsOf))}\n` : tableOf(clusters))
  if (isOne && clusters[0]?.owner?.cluster === undefined) process.exitCode = 1
}

interface ClusterFacts {
  readonly name?: string
  /** "starting" is one whose process has the directory and does not serve yet. */
  readonly state: "up" | "starting" | "stopped"
  readonly server?: string
  readonly pid?: number
  readonly kubeconfig?: string
  readonly dataDirectory: string
}

function factsOf({ name, directory, owner }: KnownCluster): ClusterFacts {
  const state = owner === undefined ? "stopped" : owner.cluster === undefined ? "starting" : "up"
  const { url: server, kubeconfig } = owner?.cluster ?? {}
  return { name, state, server, pid: owner?.pid, kubeconfig, dataDirectory: directory }
}

function tableOf(clusters: readonly KnownCluster[]): string {
  if (clusters.length === 0) return 'No clusters: "pilothouse up" starts one here, "pilothouse up --name demo" one with a name.\n'
  const rows = clusters
    .map(factsOf)
    .map(({ name = "-", state, server = "-", pid, dataDirectory }) => [name, state, server, String(pid ?? "-"), dataDirectory])
  return aligned([["NAME", "STATE", "SERVER", "PROCESS", "DATA DIRECTORY"], ...rows])
}
