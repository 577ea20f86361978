import { isCloudController } from "@pilothouse/cloud"
import { createControllers } from "@pilothouse/controllers"
import { PilothouseError } from "@pilothouse/seams"
import type { RunSettings } from "../flags/run-options.ts"
import { isUnsupportedController } from "./unsupported-controllers.ts"

/** The words of --controllers that are about controllers of the table. */
export function tableControllers(words: readonly string[]): readonly string[] {
  return words.filter((word) => !isCloudController(word) && !isUnsupportedController(word))
}

/** Values of controllers that exclude each other are refused when the controllers are created: they are created once before a cluster is asked for. */
export function checkControllerSettings({ own, controllerSettings }: RunSettings): void {
  try {
    createControllers({ select: tableControllers(own.controllers), settings: controllerSettings, needs: {} })
  } catch (error) {
    if (!(error instanceof PilothouseError) || error.code !== "INVALID") throw error
    throw new PilothouseError("USAGE", error.message, { cause: error })
  }
}
