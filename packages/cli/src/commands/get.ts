import { PilothouseError } from "@pilothouse/seams"
import { systemClock } from "@pilothouse/seams/system"
import type { Command } from "commander"
import { addConnectionOptions, openConnection } from "../client/connection.ts"
import { type Asked, findAsked, refuseNonsense } from "../client/find-resource.ts"
import { fieldSelector, labelSelector } from "../flags/flag-values.ts"
import { type GetOptions, outputWords, parseOutput } from "../get/output.ts"
import { printAsked } from "../get/print.ts"
import { printAndWatch } from "../get/watch.ts"
import { stopRequest } from "../process/process.ts"

export function addGetCommand(program: Command): void {
  addConnectionOptions(program.command("get <resource...>"))
    .description("list objects, or show one")
    .option("-A, --all-namespaces", "in every namespace")
    .option("-o, --output <format>", `one of ${outputWords.join(", ")}`, parseOutput)
    .option("-l, --selector <labels>", 'only those with these labels: "app=web,tier!=cache"', labelSelector("--selector"))
    .option("--field-selector <fields>", 'only those with these fields: "status.phase=Running"', fieldSelector("--field-selector"))
    .option("--show-labels", "with a column of their labels")
    .option("--show-managed-fields", "with -o yaml or json: who owns which field")
    .option("-w, --watch", "go on and print what changes, until Ctrl-C")
    .action(async (words: string[], options: GetOptions) => {
      refuseNonsense(words)
      await using connection = await openConnection(options)
      const print = (text: string) => process.stdout.write(text)
      const asked = await findAsked(connection.client, words)
      refuseContradictions(asked, options)
      const scope = { ...options, namespace: connection.namespace }
      const printNote = (text: string) => process.stderr.write(text)
      if (!options.watch) return await printAsked(connection.client, asked, scope, print, printNote)
      using stop = stopRequest()
      await printAndWatch(connection.client, asked, scope, { print, printNote, clock: systemClock, signal: stop.signal })
    })
}

/** As kubectl: a name says already which one is meant. */
export function refuseContradictions(asked: readonly Asked[], options: Partial<GetOptions>): void {
  if (asked.every(({ names }) => names.length === 0)) return
  if (options.selector !== undefined || options.fieldSelector !== undefined)
    throw new PilothouseError("USAGE", "expected names or a selector, found both: name cannot be provided when a selector is specified")
  if (options.allNamespaces && asked.some(({ of, names }) => of.namespaced && names.length > 0))
    throw new PilothouseError(
      "USAGE",
      "expected a name or --all-namespaces, found both: a resource cannot be retrieved by name across all namespaces",
    )
}
