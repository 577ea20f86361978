import { isCloudController } from "@pilothouse/cloud"
import { controllers, createControllers } from "@pilothouse/controllers"
import type { GivenSettings } from "@pilothouse/runtime"
import { PilothouseError, silentLog, VirtualClock } from "@pilothouse/seams"
import { featureGatesOf } from "../flags/flags.ts"
import type { RunSettings } from "../flags/run-options.ts"
import { cloudControllers } from "./cloud-provider.ts"

/** The words of --controllers that are about controllers of the table. */
export function tableControllers(words: readonly string[]): readonly string[] {
  return words.filter((word) => !isCloudController(word))
}

/** The flags of controllers of the table; the others belong to cloud controllers only. */
export function tableSettings(given: GivenSettings): GivenSettings {
  return Object.fromEntries(Object.entries(given).filter(([name]) => controllers.some(({ flags }) => name in flags)))
}

/** Values of controllers that exclude each other are refused when the controllers are created: they are created once before a cluster is asked for. */
export function checkControllerSettings(settings: RunSettings): void {
  const { own, controllerSettings } = settings
  try {
    createControllers({
      select: tableControllers(own.controllers),
      featureGates: featureGatesOf(own),
      settings: tableSettings(controllerSettings),
      needs: {},
    })
    // Whatever the cloud is: the flags are the same, and none has to be opened to check them.
    if (!["", "external"].includes(own["cloud-provider"]))
      cloudControllers({ controllerSettings, own: { ...own, "cloud-provider": "memory" } }, { clock: new VirtualClock(), log: silentLog })
  } catch (error) {
    if (!(error instanceof PilothouseError) || error.code !== "INVALID") throw error
    throw new PilothouseError("USAGE", error.message, { cause: error })
  }
}
