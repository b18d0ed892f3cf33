interface LockedPackage {
  readonly version?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface Lock {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

const OPERATING_SYSTEM = /\b(aix|android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|win32)\b/;
const PROCESSOR = /\b(arm64|arm|ia32|loong64|ppc64|riscv64|s390x|wasm32|x64)\b/;

/**
 * Adds the optional packages that some package names by an exact version and the lock file does not have. Their names
 * say for which platform they are; without that, npm would try to install them all.
 */
export function completeLock(value: unknown): { readonly lock: Lock; readonly added: readonly string[] } {
  if (!isLock(value)) throw new TypeError('not a lock file of npm');
  const packages: Record<string, LockedPackage> = { ...value.packages };
  const added: string[] = [];
  for (const [path, { dev, optionalDependencies = {} }] of Object.entries(value.packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      const places = [`node_modules/${name}`, `${path}/node_modules/${name}`];
      if (!/^\d/.test(version) || places.some((place) => place in packages)) continue;
      packages[`node_modules/${name}`] = {
        version,
        ...(dev === true ? { dev } : {}),
        optional: true,
        ...platformOf(name),
      };
      added.push(name);
    }
  }
  const sorted = Object.entries(packages).sort(([left], [right]) => left.localeCompare(right, 'en'));
  return { lock: { ...value, packages: Object.fromEntries(sorted) }, added };
}

function platformOf(name: string): { os?: [string]; cpu?: [string]; libc?: [string] } {
  const operatingSystem = OPERATING_SYSTEM.exec(name)?.[1];
  const processor = PROCESSOR.exec(name)?.[1];
  const libc = name.includes('musl') ? 'musl' : name.includes('gnu') ? 'glibc' : undefined;
  return {
    ...(operatingSystem === undefined ? {} : { os: [operatingSystem] }),
    ...(processor === undefined ? {} : { cpu: [processor] }),
    ...(libc === undefined ? {} : { libc: [libc] }),
  };
}

function isLock(value: unknown): value is Lock {
  return typeof value === 'object' && value !== null && 'packages' in value && typeof value.packages === 'object';
}
