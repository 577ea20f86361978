import { systemFiles } from "@pilothouse/seams/system"
import type { CloudPlace } from "./cloud-settings.ts"

/** Returns the places of openstacksdk's settings: the OS_* variables, and clouds.yaml in the usual places. */
export function systemPlace(): CloudPlace {
  return { files: systemFiles, environment: process.env, directory: process.cwd() }
}
