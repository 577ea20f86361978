import type { PersistentVolume } from "@pilothouse/api/core/v1"
import { type CustomOperation, type Executor, executor, RetryAfterError } from "@pilothouse/runtime"
import { type Duration, messageOf, PilothouseError } from "@pilothouse/seams"
import type { Plugins } from "./choose-plugin.ts"
import type { VolumePlugin } from "./plugins/volume-plugin.ts"

interface PluginOperation extends CustomOperation {
  /** The name of the plugin that does it. */
  readonly plugin: string
}

/** Creates, scrubs or deletes the storage of a volume. */
export interface VolumeOperation extends PluginOperation {
  readonly do: "provision-volume" | "recycle-volume" | "delete-volume"
  readonly volume: PersistentVolume
}

/** Deletes storage that a crash left behind without a PersistentVolume. */
export interface DiscardVolume extends PluginOperation {
  readonly do: "discard-volume"
}

export function volumeOperation(
  kind: VolumeOperation["do"],
  plugin: VolumePlugin,
  volume: PersistentVolume,
  reason: string,
): VolumeOperation {
  return { do: kind, to: `${volume.metadata.name} by ${plugin.name}`, plugin: plugin.name, volume, reason }
}

/** Retries failed plugin calls once per period without backoff: their causes resolve with time or by a user. */
export function volumeExecutors(plugins: Plugins, period: Duration): readonly Executor[] {
  const pluginOf = ({ plugin }: PluginOperation): VolumePlugin => plugins.find(({ name }) => name === plugin)!
  const onVolume = (kind: VolumeOperation["do"], act: (plugin: VolumePlugin, ...given: ActArguments) => Promise<void> | undefined) =>
    executor<VolumeOperation>(kind, (operation, signal) =>
      retryAfterPeriod(async () => act(pluginOf(operation), operation.volume, signal), period),
    )
  return [
    onVolume("provision-volume", (plugin, volume, signal) => plugin.provisioner?.provision(volume, signal)),
    onVolume("recycle-volume", (plugin, volume, signal) => plugin.recycle?.(volume, signal)),
    onVolume("delete-volume", (plugin, volume, signal) => plugin.delete?.(volume, signal)),
    executor<DiscardVolume>("discard-volume", (operation, signal) =>
      retryAfterPeriod(async () => pluginOf(operation).provisioner?.discard(operation.to, signal), period),
    ),
  ]
}

type ActArguments = [volume: PersistentVolume, signal: AbortSignal]

async function retryAfterPeriod(act: () => Promise<void>, period: Duration): Promise<void> {
  try {
    await act()
  } catch (cause) {
    if (cause instanceof RetryAfterError || (cause instanceof PilothouseError && cause.code === "ABORTED")) throw cause
    // The message appears in the event; as a cause it would appear twice.
    throw new RetryAfterError(period, messageOf(cause))
  }
}
