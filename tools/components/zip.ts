// Reads zip archives that are held in memory: enough for npm layers and Python wheels, and no need for an unzip on the machine.
import { crc32, inflateRawSync } from "node:zlib"

export interface ZipEntry {
  name: string
  size: number
  read(): Buffer
}

const endSignature = 0x06054b50
const entrySignature = 0x02014b50
const endSize = 22
const entrySize = 46
const localHeaderSize = 30

/** The files of an archive, by name. The table at its end is what counts: local headers may leave sizes out. */
export function readZip(archive: Buffer): Map<string, ZipEntry> {
  const end = findEnd(archive)
  const count = archive.readUInt16LE(end + 10)
  let offset = archive.readUInt32LE(end + 16)
  if (count === 0xffff || offset === 0xffffffff)
    throw new Error("expected a plain zip archive, found zip64, which this reader does not know")
  const entries = new Map<string, ZipEntry>()
  for (let index = 0; index < count; index += 1) {
    if (archive.readUInt32LE(offset) !== entrySignature)
      throw new Error(`expected a zip directory entry at byte ${offset}, found other data`)
    const nameLength = archive.readUInt16LE(offset + 28)
    const entry = readEntry(archive, offset, nameLength)
    if (!entry.name.endsWith("/")) entries.set(entry.name, entry)
    offset += entrySize + nameLength + archive.readUInt16LE(offset + 30) + archive.readUInt16LE(offset + 32)
  }
  return entries
}

/** The end record is the last thing in the file, save for a comment of up to 64 KiB. */
function findEnd(archive: Buffer): number {
  const earliest = Math.max(0, archive.length - endSize - 0xffff)
  for (let offset = archive.length - endSize; offset >= earliest; offset -= 1) {
    if (archive.readUInt32LE(offset) === endSignature) return offset
  }
  throw new Error(`expected a zip archive, found ${archive.length} bytes without its end record: the download is damaged`)
}

function readEntry(archive: Buffer, offset: number, nameLength: number): ZipEntry {
  const name = archive.toString("utf8", offset + entrySize, offset + entrySize + nameLength)
  const method = archive.readUInt16LE(offset + 10)
  const checksum = archive.readUInt32LE(offset + 16)
  const packedSize = archive.readUInt32LE(offset + 20)
  const size = archive.readUInt32LE(offset + 24)
  const local = archive.readUInt32LE(offset + 42)
  const read = () => {
    // The local header's extra field may differ in length from the directory's.
    const start = local + localHeaderSize + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28)
    const data = decompress(archive.subarray(start, start + packedSize), method, name)
    if (data.length !== size || crc32(data) !== checksum) throw new Error(`${name} in the zip archive does not match its checksum`)
    return data
  }
  return { name, size, read }
}

function decompress(packed: Buffer, method: number, name: string): Buffer {
  if (method === 0) return packed
  if (method === 8) return inflateRawSync(packed)
  throw new Error(`expected ${name} in the zip archive to be stored or deflated, found compression method ${method}`)
}
