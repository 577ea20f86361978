import type { Clock } from "@pilothouse/seams"
import type { Disk, LogFile } from "./disk.ts"

/** A disk that virtual time waits for. */
export function externalDisk(disk: Disk, clock: Clock): Disk {
  const external = <T>(work: Promise<T>) => clock.external(work, "storage on disk")
  const externalLog = (file: LogFile): LogFile => ({
    write: (bytes, position) => external(file.write(bytes, position)),
    truncate: (size) => external(file.truncate(size)),
    cut: (size) => external(file.cut(size)),
    close: () => external(file.close()),
  })
  return {
    names: (directory) => external(disk.names(directory)),
    read: (path) => external(disk.read(path)),
    writeWhole: (path, parts, options) => external(disk.writeWhole(path, parts, options)),
    openLog: (path) => external(disk.openLog(path).then(externalLog)),
    truncate: (path, size) => external(disk.truncate(path, size)),
    remove: (path) => external(disk.remove(path)),
    turn: () => external(disk.turn()),
  }
}
