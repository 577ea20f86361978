import type { CustomResourceDefinition } from "@pilothouse/api/apiextensions/v1"
import { readManifests } from "@pilothouse/runtime/manifests"
import { PilothouseError } from "@pilothouse/seams"
import { systemFiles } from "@pilothouse/seams/system"
import type { Command } from "commander"
import { kindModule } from "./kind-module.ts"

export function addKindsCommand(program: Command): void {
  program
    .command("kinds")
    .description("custom kinds as TypeScript")
    .command("generate <path...>")
    .description("print types, with their descriptions, and descriptors of CustomResourceDefinitions in files or directories")
    .action((paths: readonly string[]) => {
      process.stdout.write(generateKinds(paths))
    })
}

/** The module for the definitions in files and directories; other documents are skipped. */
export function generateKinds(paths: readonly string[]): string {
  const found = paths.flatMap((path) => readManifests(systemFiles, path, { kind: "CustomResourceDefinition" }))
  if (found.length === 0)
    throw new PilothouseError(
      "USAGE",
      `expected a CustomResourceDefinition in ${paths.join(", ")}, found none; name the files that have one`,
    )
  return kindModule(found.map(({ object }) => object as unknown as CustomResourceDefinition))
}
