import { sep } from "node:path"

/** What a sweep over the crash points of one scenario found. */
export interface Finding {
  readonly file: string
  readonly test: string
  readonly points: number
  readonly failures: readonly string[]
  /** The controllers that crashed. */
  readonly controllers: readonly string[]
  /** Those that wrote something when nothing crashed. */
  readonly writers: readonly string[]
}

declare module "vitest" {
  interface ProvidedContext {
    /** Points of each scenario that are tried; 0 for all of them. */
    points: number
    seed: number
  }
}

const mark = "crash points: "

/** A line that the soak finds again in the output of the tests. */
export function marked(finding: Finding): string {
  return `${mark}${JSON.stringify(finding)}`
}

export function findingsIn(output: string): readonly Finding[] {
  const lines = output.split("\n").filter((line) => line.startsWith(mark))
  return lines.map((line) => JSON.parse(line.slice(mark.length)) as Finding)
}

/** "packages/controllers/src/job/controller.test.ts" is about the controller "job". */
export function controllerOf({ file }: Finding): string {
  return file.split(sep).at(-2) ?? file
}
