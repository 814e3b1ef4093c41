import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DCLinter } from 'dclint';
import { DockerfileParser, type From } from 'dockerfile-ast';
import { validate } from 'dockerfile-utils';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };
import { certificatePath } from '../../src/server/domains/certificate.routes.ts';
import { settings } from '../../src/server/settings/config.ts';
import { servedCommand } from '../support/server-process.ts';

const folder = join(import.meta.dirname, '../../docs/deploy');
const root = join(folder, '../..');
const read = (file: string) => readFileSync(join(folder, file), 'utf8');
const known = new Set(Object.values(settings).map(({ name }) => name));

/** What dclint returns. Its types cannot be resolved. */
interface LintResult {
  readonly messages: readonly { readonly rule: string; readonly message: string }[];
}

/** Variables that an env file sets, commented lines included. */
const variablesOf = (file: string) =>
  [...read(file).matchAll(/^(?:# )?([A-Z][A-Z_]+)=/gm)].map(match => match[1] ?? '');

describe('the Dockerfile', () => {
  const steps = DockerfileParser.parse(read('Dockerfile')).getInstructions();
  const named = (keyword: string) => steps.filter(step => step.getKeyword() === keyword);

  it('has no fault that the linter knows', () => {
    expect(validate(read('Dockerfile'))).toEqual([]);
    expect(validate('FROM node\nRUNN npm ci').map(({ message }) => message)).toEqual(['Unknown instruction: RUNN']);
  });

  it('builds in stages from images with a version, and takes over only what the service needs', () => {
    const images = named('FROM') as From[];
    expect(images.length).toBeGreaterThan(1);
    expect(images.filter(image => !/^\d/.test(image.getImageTag() ?? ''))).toEqual([]);
    const last = steps.slice(steps.lastIndexOf(images.at(-1)!));
    expect(last.filter(step => ['RUN', 'ADD'].includes(step.getKeyword()))).toEqual([]);
    const copied = last
      .filter(step => step.getKeyword() === 'COPY')
      .map(step => step.getArguments().at(-1)?.getValue());
    expect(copied).toEqual(['./', './node_modules', './dist/server', './dist/browser', './dist/docs']);
  });

  it('runs without root, has a health check, and starts the program without a shell', () => {
    expect(named('USER').at(-1)?.getArgumentsContent()).toBe('node');
    expect(named('HEALTHCHECK')).toHaveLength(1);
    expect(JSON.parse(named('CMD').at(-1)?.getArgumentsContent() ?? '')).toContain('dist/server/main.js');
  });

  it('copies from the repository only files that exist and that its ignore file lets through', () => {
    const allowed = [...read('Dockerfile.dockerignore').matchAll(/^!(.+)$/gm)].map(match => match[1]);
    const own = named('COPY').filter(step => !step.toString().includes('--from'));
    const paths = own.flatMap(step => step.getArguments().slice(0, -1)).map(argument => argument.getValue());
    expect([...new Set(paths)].toSorted()).toEqual(allowed.toSorted());
    expect(paths.filter(path => !existsSync(join(root, path)))).toEqual([]);
  });
});

describe('the compose file', () => {
  const { services, volumes } = parse(read('compose.yaml'));

  it('follows the schema of compose files and the rules of the linter', () => {
    // The order of keys is ours.
    const linter = new DCLinter({ rules: { 'service-keys-order': 0 }, quiet: true, debug: false, exclude: [] });
    const faults = (file: string) =>
      (linter.lintFiles([file], false) as LintResult[]).flatMap(({ messages }) =>
        messages.map(({ rule, message }) => [rule, message]),
      );
    expect(faults(join(folder, 'compose.yaml'))).toEqual([]);
    const wrong = mkdtempSync(join(tmpdir(), 'pay-compose-'));
    writeFileSync(join(wrong, 'compose.yaml'), 'services:\n  pay-checkout:\n    imag: pay-checkout\n');
    expect(faults(join(wrong, 'compose.yaml'))).toEqual([['invalid-schema', expect.any(String)]]);
    rmSync(wrong, { recursive: true });
  });

  it('starts the service when its PostgreSQL answers, and keeps the data in a volume', () => {
    const { 'pay-checkout': service, postgres } = services;
    expect(service.depends_on.postgres.condition).toBe('service_healthy');
    expect([service.healthcheck, postgres.healthcheck.test]).toEqual([expect.any(Object), expect.any(Array)]);
    expect(postgres.volumes).toEqual(['database:/var/lib/postgresql']);
    expect(Object.keys(volumes)).toEqual(['database']);
    expect(existsSync(join(folder, service.build.context, service.build.dockerfile))).toBe(true);
  });

  it('holds no secrets: they are in env files that git ignores', () => {
    const files = Object.values<{ env_file: string }>(services).map(({ env_file }) => env_file);
    expect(files.filter(file => !existsSync(join(folder, `${file}.example`)))).toEqual([]);
    const ignored = execFileSync('git', ['check-ignore', ...files], { cwd: folder, encoding: 'utf8' });
    expect(ignored.trim().split('\n')).toEqual(files);
    expect(JSON.stringify(services)).not.toMatch(/password|secret/i);
    expect(variablesOf('pay-checkout.env.example').filter(name => !known.has(name))).toEqual([]);
    const password = /POSTGRES_PASSWORD=(.+)/.exec(read('postgres.env.example'))?.[1];
    expect(read('pay-checkout.env.example')).toContain(`DATABASE_URL=postgres://pay:${password}@postgres:5432/pay`);
  });
});

describe('the systemd unit', () => {
  const unit = read('pay-checkout.service');
  const lines = unit.split('\n').filter(line => line !== '' && !line.startsWith('#'));
  const entries = lines.flatMap(line => /^([A-Z]\w+)=(.*)$/.exec(line)?.slice(1, 3) ?? []);
  const values = Object.fromEntries(
    entries.flatMap((name, index) => (index % 2 === 0 ? [[name, entries[index + 1] ?? '']] : [])),
  );

  it('consists of the three sections, and sets each directive once', () => {
    expect(lines.filter(line => line.startsWith('['))).toEqual(['[Unit]', '[Service]', '[Install]']);
    expect(Object.keys(values)).toHaveLength(lines.length - 3);
  });

  it('starts the program of the npm package with the options of npm start', () => {
    const [node, ...args] = values['ExecStart']?.split(' ') ?? [];
    const [program, ...options] = [packageJson.bin['pay-checkout-server'], ...servedCommand().slice(0, -1)];
    expect(node).toBe('/usr/bin/node');
    expect(args).toEqual([...options, `/opt/pay-checkout/node_modules/pay-checkout-server/${program}`]);
    const names = values['Environment']?.split(' ').map(pair => pair.split('=')[0] ?? '');
    expect(names?.filter(name => !known.has(name))).toEqual(['NODE_ENV']);
  });

  it('confines the service to its own folder, without rights of root', () => {
    expect(values).toMatchObject({
      DynamicUser: 'yes',
      StateDirectory: 'pay-checkout',
      UMask: '0077',
      CapabilityBoundingSet: '',
      NoNewPrivileges: 'yes',
      PrivateDevices: 'yes',
      PrivateTmp: 'yes',
      ProtectHome: 'yes',
      ProtectSystem: 'strict',
      RestrictSUIDSGID: 'yes',
      SystemCallFilter: '@system-service',
      Restart: 'on-failure',
      KillMode: 'mixed',
      WantedBy: 'multi-user.target',
    });
    // V8 could not compile.
    expect(values).not.toHaveProperty('MemoryDenyWriteExecute');
  });

  it('passes systemd-analyze', ({ skip }) => {
    const analyze = (...args: string[]) => spawnSync('systemd-analyze', args, { encoding: 'utf8' });
    skip(analyze('--version').error !== undefined, 'systemd-analyze is not installed');
    const temporary = mkdtempSync(join(tmpdir(), 'pay-unit-'));
    const file = join(temporary, 'pay-checkout.service');
    writeFileSync(file, unit.replace('/usr/bin/node', process.execPath));
    const { status, stdout, stderr } = analyze('verify', '--man=no', file);
    expect([status, stdout, stderr]).toEqual([0, '', '']);
    // Exposure of at most 2.0 of 10, by the measure of systemd.
    expect(analyze('security', '--offline=yes', '--threshold=20', file).status).toBe(0);
    rmSync(temporary, { recursive: true });
  });
});

describe('the Caddyfile', () => {
  const lines = read('Caddyfile')
    .split('\n')
    .map(line => line.replace(/#.*/, '').trim())
    .filter(Boolean);

  it('asks the service which names may have a certificate, before each is obtained on demand', () => {
    const { host } = new URL(
      `http://${parse(read('compose.yaml')).services['pay-checkout'].ports[0]}`.replace(/:\d+$/, ''),
    );
    expect(lines).toContain(`ask http://${host}${certificatePath}`);
    expect(lines.filter(line => line.startsWith('reverse_proxy'))).toEqual(Array(2).fill(`reverse_proxy ${host}`));
    expect(lines).toContain('on_demand');
  });

  it('keeps internal pages inside', () => {
    expect(lines).toContain(`@internal path /readyz /metrics ${certificatePath}`);
    expect(lines).toContain('respond @internal 404');
  });

  it('closes each block, and has only directives that Caddy knows', () => {
    const depths = lines.map(line => Number(line.endsWith('{')) - Number(line === '}'));
    expect(depths.reduce((depth, step) => depth + step, 0)).toBe(0);
    const directives =
      /^(\{|\}|on_demand_tls \{|ask \S+|tls \{|on_demand|reverse_proxy \S+|@internal path( \/\S+)+|respond @internal 404)$/;
    const addresses = ['pay.example.com {', 'https:// {'];
    expect(lines.filter(line => !directives.test(line) && !addresses.includes(line))).toEqual([]);
    expect(lines.filter(line => addresses.includes(line))).toEqual(addresses);
    expect(read('pay-checkout.env.example')).toContain('PAY_PUBLIC_URL=https://pay.example.com');
  });
});
