import { type FieldError, fieldError } from "@pilothouse/api"

/** Validates a path that stays below the directory it starts from: "a/b". */
export function localPathErrors(path: string, field: string): readonly FieldError[] {
  return [
    ...(path.startsWith("/") ? [fieldError.invalid(field, path, "must be a relative path")] : []),
    ...(path.split("/").includes("..") ? [fieldError.invalid(field, path, "must not contain '..'")] : []),
  ]
}

/** Validates a local path that is no name of kubelets, which begin with two dots: "..data". */
export function unreservedPathErrors(path: string, field: string): readonly FieldError[] {
  const isReserved = path.startsWith("..") && !path.startsWith("../")
  return [...localPathErrors(path, field), ...(isReserved ? [fieldError.invalid(field, path, "must not start with '..'")] : [])]
}
