import { isCloudController } from "@pilothouse/cloud"
import { createControllers } from "@pilothouse/controllers"
import { PilothouseError } from "@pilothouse/seams"
import { isAbsentLoop } from "./absent-loops.ts"
import type { RunSettings } from "./settings.ts"

/** The words of --controllers that are about loops of the table. */
export function tableLoops(words: readonly string[]): readonly string[] {
  return words.filter((word) => !isCloudController(word) && !isAbsentLoop(word))
}

/** Values of loops that do not go together are refused by whoever makes the loop: they are made once before a cluster is asked for. */
export function checkLoops({ own, loops }: RunSettings): void {
  try {
    createControllers({ select: tableLoops(own.controllers), settings: loops, needs: {} })
  } catch (error) {
    if (!(error instanceof PilothouseError) || error.code !== "INVALID") throw error
    throw new PilothouseError("USAGE", error.message, { cause: error })
  }
}
