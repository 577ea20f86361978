import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { type Controller, clusterRole } from "@pilothouse/runtime"
import { messageOf, PilothouseError } from "@pilothouse/seams"
import type { Command } from "commander"
import { yamlText } from "../client/kubectl-yaml.ts"

export interface RbacOptions {
  readonly name?: string
  readonly crds?: boolean
  readonly lease?: string
}

export function addRbacCommand(program: Command): void {
  program
    .command("rbac <file...>")
    .description("print the least ClusterRole of the controllers that modules export")
    .option("--name <name>", "of the ClusterRole (default: the name of the first controller)")
    .option("--crds", "with what a manager needs that installs definitions")
    .option("--lease <namespace/name>", "with what leader election needs of its Lease")
    .action(async (files: readonly string[], options: RbacOptions) => {
      process.stdout.write(await roleOf(files, options))
    })
}

/** The YAML of the role for the controllers in modules. */
export async function roleOf(files: readonly string[], { name, crds, lease }: RbacOptions): Promise<string> {
  const controllers = (await Promise.all(files.map(controllersIn))).flat()
  return yamlText(clusterRole({ name: name ?? controllers[0]!.name, controllers, crds, lease }))
}

/** Imports a module, which may be TypeScript, and returns the controllers among its exports and in arrays of them. */
async function controllersIn(file: string): Promise<readonly Controller[]> {
  const exported = await exportsOf(file)
  const found = Object.values(exported).flat().filter(isController)
  if (found.length > 0) return found
  const names = Object.keys(exported).join(", ") || "nothing"
  throw new PilothouseError(
    "USAGE",
    `expected an exported controller in ${file}, found ${names}; write export const mine = controller("mine", { … })`,
  )
}

async function exportsOf(file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(pathToFileURL(resolve(file)).href)) as Readonly<Record<string, unknown>>
  } catch (cause) {
    throw new PilothouseError(
      "USAGE",
      `expected a module with controllers at ${file}, found that it cannot be imported: ${messageOf(cause)}`,
      { cause },
    )
  }
}

/** Another copy of the runtime may have made it: known by its shape. */
function isController(value: unknown): value is Controller {
  if (typeof value !== "object" || value === null) return false
  const { name, observe, decide, for: kind } = value as Partial<Controller>
  return typeof name === "string" && typeof observe === "function" && typeof decide === "function" && typeof kind?.plural === "string"
}
